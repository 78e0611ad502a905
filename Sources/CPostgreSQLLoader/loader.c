// PostgreSQL's client library, loaded when a ledger needs it: with the fifteen libraries that it needs itself, it takes the
// dynamic linker half as long as all of the program, and most runs have no use for it.
//
// The functions of libpq that AssayLedgerPostgreSQL calls are defined here, with the declarations of libpq's own header, and go on
// to the loaded ones. They are hidden: libpq must not find them instead of its own. What else in the program calls libpq may find
// them, and loads it so. On systems other than Linux, the program is linked with libpq.
#include "CPostgreSQLLoader.h"

#ifdef __linux__
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#pragma GCC visibility push(hidden)
#include <libpq-fe.h>

#define FUNCTIONS(each) \
    each(int, PQbackendPID, (const PGconn *a), (a)) \
    each(void, PQclear, (PGresult *a), (a)) \
    each(char *, PQcmdStatus, (PGresult *a), (a)) \
    each(PostgresPollingStatusType, PQconnectPoll, (PGconn *a), (a)) \
    each(PGconn *, PQconnectStartParams, (const char *const *a, const char *const *b, int c), (a, b, c)) \
    each(void, PQconninfoFree, (PQconninfoOption *a), (a)) \
    each(PQconninfoOption *, PQconninfoParse, (const char *a, char **b), (a, b)) \
    each(int, PQconsumeInput, (PGconn *a), (a)) \
    each(int, PQenterPipelineMode, (PGconn *a), (a)) \
    each(char *, PQerrorMessage, (const PGconn *a), (a)) \
    each(void, PQfinish, (PGconn *a), (a)) \
    each(int, PQflush, (PGconn *a), (a)) \
    each(char *, PQfname, (const PGresult *a, int b), (a, b)) \
    each(void, PQfreemem, (void *a), (a)) \
    each(PGresult *, PQgetResult, (PGconn *a), (a)) \
    each(int, PQgetisnull, (const PGresult *a, int b, int c), (a, b, c)) \
    each(int, PQgetlength, (const PGresult *a, int b, int c), (a, b, c)) \
    each(char *, PQgetvalue, (const PGresult *a, int b, int c), (a, b, c)) \
    each(char *, PQhost, (const PGconn *a), (a)) \
    each(int, PQisBusy, (PGconn *a), (a)) \
    each(int, PQnfields, (const PGresult *a), (a)) \
    each(int, PQntuples, (const PGresult *a), (a)) \
    each(int, PQpipelineSync, (PGconn *a), (a)) \
    each(char *, PQport, (const PGconn *a), (a)) \
    each(char *, PQresultErrorField, (const PGresult *a, int b), (a, b)) \
    each(ExecStatusType, PQresultStatus, (const PGresult *a), (a)) \
    each(int, PQsendPrepare, (PGconn *a, const char *b, const char *c, int d, const Oid *e), (a, b, c, d, e)) \
    each(int, PQsendQueryParams, \
        (PGconn *a, const char *b, int c, const Oid *d, const char *const *e, const int *f, const int *g, int h), \
        (a, b, c, d, e, f, g, h)) \
    each(int, PQsendQueryPrepared, \
        (PGconn *a, const char *b, int c, const char *const *d, const int *e, const int *f, int g), (a, b, c, d, e, f, g)) \
    each(int, PQserverVersion, (const PGconn *a), (a)) \
    each(PGVerbosity, PQsetErrorVerbosity, (PGconn *a, PGVerbosity b), (a, b)) \
    each(PQnoticeReceiver, PQsetNoticeReceiver, (PGconn *a, PQnoticeReceiver b, void *c), (a, b, c)) \
    each(int, PQsetnonblocking, (PGconn *a, int b), (a, b)) \
    each(int, PQsocket, (const PGconn *a), (a)) \
    each(int, PQsslInUse, (PGconn *a), (a)) \
    each(ConnStatusType, PQstatus, (const PGconn *a), (a))

#define DEFINE(result, name, parameters, arguments) \
    static __typeof__(name) *loaded_##name; \
    result name parameters { \
        const char *missing = CPostgreSQLLoader_load(); \
        if (missing) { \
            fprintf(stderr, "%s\n", missing); \
            abort(); \
        } \
        return loaded_##name arguments; \
    }
FUNCTIONS(DEFINE)
#pragma GCC visibility pop

static char failure[512];

static void load(void) {
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    int isComplete = library != NULL;
#define LOAD(result, name, parameters, arguments) \
    isComplete = isComplete && (loaded_##name = (__typeof__(name) *)dlsym(library, #name));
    FUNCTIONS(LOAD)
    if (isComplete) return;
    const char *reason = dlerror();
    snprintf(failure, sizeof failure, "%s", reason ? reason : "libpq.so.5 is incomplete");
}

const char *CPostgreSQLLoader_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return failure[0] ? failure : NULL;
}
#else
const char *CPostgreSQLLoader_load(void) { return 0; }
#endif
