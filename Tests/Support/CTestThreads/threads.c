#include "CTestThreads.h"
#include <stdint.h>

// Swift's pool has a thread for each processor. Many tests block theirs while they wait for a program that they have
// started: on two processors only two tests would run, and thousands wait. See swift/Runtime/Concurrency.h.

#define SWIFT __attribute__((swiftcall))

typedef struct Job Job;
typedef struct {
    void *identity;
    uintptr_t implementation;
} Executor;
typedef SWIFT void Enqueue(Job *);

extern SWIFT void (*swift_task_enqueueGlobal_hook)(Job *, Enqueue *);
extern SWIFT void swift_job_run(Job *, Executor);

// SwiftPM does not find the headers of libdispatch for C on Linux.
typedef struct dispatch_queue_s *Queue;
extern struct dispatch_queue_attr_s _dispatch_queue_attr_concurrent;
Queue dispatch_get_global_queue(intptr_t, uintptr_t);
Queue dispatch_queue_create(const char *, struct dispatch_queue_attr_s *);
void dispatch_set_target_queue(Queue, Queue);
void dispatch_queue_set_width(Queue, long);
void dispatch_async_f(Queue, void *, void (*)(void *));

static Queue threads;

static void run(void *job) { swift_job_run(job, (Executor){0, 0}); }

static SWIFT void enqueue(Job *job, Enqueue *original) {
    (void)original;
    dispatch_async_f(threads, job, run);
}

__attribute__((constructor)) static void replace_pool(void) {
    threads = dispatch_queue_create("tests", &_dispatch_queue_attr_concurrent);
    // 2 is DISPATCH_QUEUE_OVERCOMMIT: another thread while the others are blocked.
    dispatch_set_target_queue(threads, dispatch_get_global_queue(0, 2));
    dispatch_queue_set_width(threads, TEST_THREADS);
    swift_task_enqueueGlobal_hook = enqueue;
}
