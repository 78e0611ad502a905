// The statements of a batch of counter steps, sent by libpq alone: what PostgreSQLLedger is compared with.
//
//     bare CONNINFO SCHEMA MODE CONNECTIONS SECONDS
//
// MODE is `batches`: two-phase transactions of 256 keys; or `single`: a commit for each step. Each connection has keys of its own. Prints
// steps a second, and microseconds of this process's processor time a step.
#include <libpq-fe.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { BATCH = 256 };

static const char *conninfo, *schema;
static int isSingle;
static double seconds;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void fail(PGconn *conn, const char *what) {
    fprintf(stderr, "%s: %s", what, PQerrorMessage(conn));
    exit(1);
}

static char *put(char *out, uint64_t value, int count) {
    for (int index = count - 1; index >= 0; index--) *out++ = (char)(value >> (8 * index));
    return out;
}

/// The key of a row, as the ledger stores it: the length of the engine, the engine, four bytes of the number.
static char *key(char *out, uint32_t number) {
    *out++ = 4;
    memcpy(out, "test", 4);
    return put(out + 4, number, 4);
}

static void expect(PGconn *conn, int commands) {
    for (int index = 0; index < commands; index++) {
        PGresult *result = PQgetResult(conn);
        ExecStatusType status = PQresultStatus(result);
        if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) fail(conn, PQresultErrorMessage(result));
        PQclear(result);
        if (PQgetResult(conn)) fail(conn, "more than one result");
    }
    PGresult *end = PQgetResult(conn);
    if (PQresultStatus(end) != PGRES_PIPELINE_SYNC) fail(conn, "no end of the pipeline");
    PQclear(end);
}

static void prepare(PGconn *conn, const char *name, const char *format, int count, const Oid *types) {
    char text[1024];
    snprintf(text, sizeof text, format, schema);
    PGresult *result = PQprepare(conn, name, text, count, types);
    if (PQresultStatus(result) != PGRES_COMMAND_OK) fail(conn, name);
    PQclear(result);
}

static void send(PGconn *conn, const char *name, int count, const char *const *values, const int *lengths) {
    static const int binary[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    if (!PQsendQueryPrepared(conn, name, count, values, lengths, binary, 1)) fail(conn, name);
}

static void *run(void *argument) {
    int number = (int)(intptr_t)argument;
    PGconn *conn = PQconnectdb(conninfo);
    if (PQstatus(conn) != CONNECTION_OK) fail(conn, "connect");
    PQclear(PQexec(conn, "SET enable_seqscan = off"));
    PQclear(PQexec(conn, "SET enable_hashjoin = off"));
    PQclear(PQexec(conn, "SET enable_mergejoin = off"));
    char text[512];
    snprintf(text, sizeof text, "INSERT INTO %s.writer VALUES ('bare%d', 1, 0, 0)", schema, number);
    PQclear(PQexec(conn, text));
    enum { BYTEA = 17, INT8 = 20, BYTEAS = 1001, INT8S = 1016 };
    prepare(conn, "begin", "BEGIN ISOLATION LEVEL READ COMMITTED", 0, NULL);
    prepare(conn, "commit", "COMMIT", 0, NULL);
    prepare(conn, "claim", "UPDATE %s.writer SET batch = $3, seen_at = $4 WHERE id = $1 AND epoch = $2 RETURNING batch", 4,
            (Oid[]){BYTEA, INT8, INT8, INT8});
    prepare(conn, "lock",
            "SELECT id, whole, app, public_key, counter, skipped, enrolled_at, properties, account, retired_at "
            "FROM %s.enrolled_key WHERE id = ANY($1) ORDER BY id FOR UPDATE", 1, (Oid[]){BYTEAS});
    prepare(conn, "standings", "SELECT id FROM %s.standing WHERE id = ANY($1)", 1, (Oid[]){BYTEAS});
    prepare(conn, "advance",
            "UPDATE %s.enrolled_key AS stored SET counter = new.counter FROM unnest($1::bytea[], $2::int8[]) AS new (id, counter) "
            "WHERE stored.id = new.id AND stored.counter < new.counter", 2, (Oid[]){BYTEAS, INT8S});
    prepare(conn, "single", "UPDATE %s.enrolled_key SET counter = $2 WHERE id = $1 AND counter < $2", 2, (Oid[]){BYTEA, INT8});

    static __thread char keys[64 + BATCH * 16], counters[64 + BATCH * 16];
    long steps = 0;
    double end = now() + seconds;
    if (isSingle) {
        for (uint64_t counter = 1; now() < end; counter++) {
            char id[16], value[8];
            int length = (int)(key(id, (uint32_t)(number * BATCH) + counter % BATCH) - id);
            put(value, counter, 8);
            PGresult *result = PQexecPrepared(conn, "single", 2, (const char *[]){id, value}, (int[]){length, 8}, (int[]){1, 1}, 1);
            if (PQresultStatus(result) != PGRES_COMMAND_OK || strcmp(PQcmdTuples(result), "1") != 0) fail(conn, "single");
            PQclear(result);
            steps++;
        }
    } else {
        if (!PQenterPipelineMode(conn)) fail(conn, "pipeline");
        char id[16], one[8], batch[8];
        int idLength = snprintf(id, sizeof id, "bare%d", number);
        put(one, 1, 8);
        for (uint64_t counter = 1; now() < end; counter++) {
            char *out = put(put(put(put(put(keys, 1, 4), 0, 4), BYTEA, 4), BATCH, 4), 1, 4);
            for (int index = 0; index < BATCH; index++) out = key(put(out, 9, 4), (uint32_t)(number * BATCH + index));
            int keysLength = (int)(out - keys);
            out = put(put(put(put(put(counters, 1, 4), 0, 4), INT8, 4), BATCH, 4), 1, 4);
            for (int index = 0; index < BATCH; index++) out = put(put(out, 8, 4), counter, 8);
            int countersLength = (int)(out - counters);
            put(batch, counter, 8);
            send(conn, "begin", 0, NULL, NULL);
            send(conn, "claim", 4, (const char *[]){id, one, batch, batch}, (int[]){idLength, 8, 8, 8});
            send(conn, "lock", 1, (const char *[]){keys}, &keysLength);
            send(conn, "standings", 1, (const char *[]){keys}, &keysLength);
            if (!PQpipelineSync(conn)) fail(conn, "sync");
            expect(conn, 4);
            send(conn, "advance", 2, (const char *[]){keys, counters}, (int[]){keysLength, countersLength});
            send(conn, "commit", 0, NULL, NULL);
            if (!PQpipelineSync(conn)) fail(conn, "sync");
            expect(conn, 2);
            steps += BATCH;
        }
    }
    PQfinish(conn);
    return (void *)(intptr_t)steps;
}

int main(int count, char **arguments) {
    if (count != 6) return 64;
    conninfo = arguments[1];
    schema = arguments[2];
    isSingle = strcmp(arguments[3], "single") == 0;
    int connections = atoi(arguments[4]);
    seconds = atof(arguments[5]);
    if (connections < 1 || connections > 64 || seconds <= 0) return 64;
    pthread_t threads[64];
    double start = now();
    for (int index = 0; index < connections; index++) pthread_create(&threads[index], NULL, run, (void *)(intptr_t)index);
    long steps = 0;
    for (int index = 0; index < connections; index++) {
        void *done;
        pthread_join(threads[index], &done);
        steps += (long)(intptr_t)done;
    }
    double took = now() - start;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double busy = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
    printf("%.0f %.2f\n", steps / took, busy * 1e6 / steps);
    return 0;
}
