// The work of a batch of counter steps, done with libpq alone: what PostgreSQLLedger is compared with.
//
//     bare CONNINFO SCHEMA MODE CONNECTIONS SECONDS
//
// MODE is `batches`: two-phase transactions of 256 keys, with the statements of LedgerStatements; `single`: a commit for each step; or
// `trips`: look-ups of one key. Each connection has keys of its own. Prints steps a second, and microseconds of this process's processor
// time a step.
#include <libpq-fe.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { BATCH = 256 };
enum { BYTEA = 17, INT8 = 20, BYTEAS = 1001, INT8S = 1016 };

static const char *conninfo, *schema, *mode;
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

static uint64_t get(const char *in, int count) {
    uint64_t value = 0;
    for (int index = 0; index < count; index++) value = value << 8 | (unsigned char)in[index];
    return value;
}

/// The key of a row, as the ledger stores it: the length of the engine, the engine, four bytes of the number.
static char *key(char *out, uint32_t number) {
    *out++ = 4;
    memcpy(out, "test", 4);
    return put(out + 4, number, 4);
}

/// The beginning of an array: one dimension, no NULL, the type, the length and the lower bound.
static char *array(char *out, int type) { return put(put(put(put(put(out, 1, 4), 0, 4), (uint64_t)type, 4), BATCH, 4), 1, 4); }

/// Reads the results of a pipeline. Keeps that of one command.
static PGresult *expect(PGconn *conn, int commands, int kept) {
    PGresult *found = NULL;
    for (int index = 0; index < commands; index++) {
        PGresult *result = PQgetResult(conn);
        ExecStatusType status = PQresultStatus(result);
        if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) fail(conn, PQresultErrorMessage(result));
        if (index == kept) found = result; else PQclear(result);
        if (PQgetResult(conn)) fail(conn, "more than one result");
    }
    PGresult *end = PQgetResult(conn);
    if (PQresultStatus(end) != PGRES_PIPELINE_SYNC) fail(conn, "no end of the pipeline");
    PQclear(end);
    return found;
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

static void prepareAll(PGconn *conn) {
    prepare(conn, "begin", "BEGIN ISOLATION LEVEL READ COMMITTED", 0, NULL);
    prepare(conn, "commit", "COMMIT", 0, NULL);
    prepare(conn, "claim",
            "UPDATE %s.writer SET batch = $3, seen_at = (extract(epoch FROM clock_timestamp()) * 1000000)::int8 "
            "WHERE id = $1 AND epoch = $2 RETURNING batch", 3, (Oid[]){BYTEA, INT8, INT8});
    prepare(conn, "lock",
            "SELECT id, app, counter, skipped, account, retired_at FROM %s.enrolled_key WHERE id = ANY($1) ORDER BY id FOR UPDATE", 1,
            (Oid[]){BYTEAS});
    prepare(conn, "standings", "SELECT 1 FROM %s.standing LIMIT 1", 0, NULL);
    prepare(conn, "advance",
            "WITH changed AS (UPDATE %s.enrolled_key AS stored SET counter = new.counter, skipped = new.skipped "
            "FROM unnest($1::bytea[], $2::int8[], $3::bytea[]) AS new (id, counter, skipped) "
            "WHERE stored.id = new.id AND (stored.counter < new.counter "
            "OR (stored.counter = new.counter AND stored.skipped <> new.skipped)) RETURNING 1) "
            "SELECT 1 / (count(*) = $4::int8)::int4 FROM changed", 4, (Oid[]){BYTEAS, INT8S, BYTEAS, INT8});
    prepare(conn, "single", "UPDATE %s.enrolled_key SET counter = $2 WHERE id = $1 AND counter < $2", 2, (Oid[]){BYTEA, INT8});
    prepare(conn, "trip", "SELECT counter FROM %s.enrolled_key WHERE id = $1", 1, (Oid[]){BYTEA});
}

/// Steps of one key, or look-ups, each in a round trip of its own.
static long runSingle(PGconn *conn, int number, double end) {
    int isTrip = strcmp(mode, "trips") == 0;
    long steps = 0;
    for (uint64_t counter = 1; now() < end; counter++) {
        char id[16], value[8];
        int length = (int)(key(id, (uint32_t)(number * BATCH) + (isTrip ? 0 : counter % BATCH)) - id);
        put(value, counter, 8);
        PGresult *result =
            PQexecPrepared(conn, isTrip ? "trip" : "single", isTrip ? 1 : 2, (const char *[]){id, value}, (int[]){length, 8}, (int[]){1, 1}, 1);
        ExecStatusType status = PQresultStatus(result);
        if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) fail(conn, "single");
        if (!isTrip && strcmp(PQcmdTuples(result), "1") != 0) fail(conn, "no row");
        PQclear(result);
        steps++;
    }
    return steps;
}

/// Writes the counters after a batch of steps whose rows were read, after a comparison with what is stored.
static void decide(PGconn *conn, PGresult *rows, const char *keys, uint64_t counter, char **counters, char **skipped) {
    if (PQntuples(rows) != BATCH) fail(conn, "keys are missing");
    char *nextCounter = array(*counters, INT8), *nextSkipped = array(*skipped, BYTEA);
    for (int row = 0; row < BATCH; row++) {
        // Rows come in the order of their keys.
        if (PQgetlength(rows, row, 0) != 9 || memcmp(PQgetvalue(rows, row, 0), keys + 20 + 13 * row + 4, 9) != 0) fail(conn, "another key");
        if (PQgetlength(rows, row, 1) != 4 || memcmp(PQgetvalue(rows, row, 1), "shop", 4) != 0) fail(conn, "another app");
        if (PQgetlength(rows, row, 2) != 8 || get(PQgetvalue(rows, row, 2), 8) >= counter) fail(conn, "counter");
        if (!PQgetisnull(rows, row, 5)) fail(conn, "retired");
        nextCounter = put(put(nextCounter, 8, 4), counter, 8);
        nextSkipped = put(nextSkipped, 0, 4);
    }
    *counters = nextCounter;
    *skipped = nextSkipped;
}

static long runBatches(PGconn *conn, int number, double end) {
    if (!PQenterPipelineMode(conn)) fail(conn, "pipeline");
    static __thread char keys[64 + BATCH * 16], counters[64 + BATCH * 16], skipped[64 + BATCH * 8];
    char id[16], one[8], batch[8], size[8];
    int idLength = snprintf(id, sizeof id, "bare%d", number);
    long steps = 0;
    put(one, 1, 8);
    put(size, BATCH, 8);
    for (uint64_t counter = 1; now() < end; counter++) {
        char *key1 = array(keys, BYTEA);
        for (int index = 0; index < BATCH; index++) key1 = key(put(key1, 9, 4), (uint32_t)(number * BATCH + index));
        int keysLength = (int)(key1 - keys);
        put(batch, counter, 8);
        send(conn, "begin", 0, NULL, NULL);
        send(conn, "claim", 3, (const char *[]){id, one, batch}, (int[]){idLength, 8, 8});
        send(conn, "lock", 1, (const char *[]){keys}, &keysLength);
        send(conn, "standings", 0, NULL, NULL);
        if (!PQpipelineSync(conn)) fail(conn, "sync");
        PGresult *rows = expect(conn, 4, 2);
        char *counterEnd = counters, *skippedEnd = skipped;
        decide(conn, rows, keys, counter, &counterEnd, &skippedEnd);
        PQclear(rows);
        send(conn, "advance", 4, (const char *[]){keys, counters, skipped, size},
             (int[]){keysLength, (int)(counterEnd - counters), (int)(skippedEnd - skipped), 8});
        send(conn, "commit", 0, NULL, NULL);
        if (!PQpipelineSync(conn)) fail(conn, "sync");
        expect(conn, 2, -1);
        steps += BATCH;
    }
    return steps;
}

static void *run(void *argument) {
    int number = (int)(intptr_t)argument;
    PGconn *conn = PQconnectdb(conninfo);
    if (PQstatus(conn) != CONNECTION_OK) fail(conn, "connect");
    for (int index = 0; index < 3; index++)
        PQclear(PQexec(conn, (const char *[]){"SET enable_seqscan = off", "SET enable_hashjoin = off", "SET enable_mergejoin = off"}[index]));
    char text[512];
    snprintf(text, sizeof text, "INSERT INTO %s.writer VALUES ('bare%d', 1, 0, 0)", schema, number);
    PQclear(PQexec(conn, text));
    prepareAll(conn);
    double end = now() + seconds;
    long steps = strcmp(mode, "batches") == 0 ? runBatches(conn, number, end) : runSingle(conn, number, end);
    PQfinish(conn);
    return (void *)(intptr_t)steps;
}

int main(int count, char **arguments) {
    if (count != 6) return 64;
    conninfo = arguments[1];
    schema = arguments[2];
    mode = arguments[3];
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
