// Reports synchronisation in Swift's libraries, which are built without ThreadSanitizer, to ThreadSanitizer.
// Scripts/sanitize loads it before them.
//
// `Mutex`: without contention, locking and unlocking are atomic operations in code built with the sanitizer. Under
// contention the kernel hands over the lock (FUTEX_LOCK_PI) in a library built without it, so the sanitizer would
// report races on the guarded data. `Synchronization.swiftinterface` declares the three functions for `_MutexHandle`,
// whose address is the context of a Swift method.
//
// Continuations: resuming a continuation releases earlier writes at the address of the task, which the runtime reports.
// The runtime also reports that the task acquires them when it runs again. It does not report this if the answer came
// before the task began to wait, because the task then continues directly.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SWIFT __attribute__((swiftcall))
#define SWIFT_SELF __attribute__((swift_context))
#define SWIFT_ASYNC __attribute__((swiftasynccall))
#define SWIFT_ASYNC_CONTEXT __attribute__((swift_async_context))

// Only in processes built with the sanitizer, not in compilers and shells.
extern void __tsan_acquire(const void *) __attribute__((weak));
extern void __tsan_release(const void *) __attribute__((weak));

static void *next(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (function == NULL) {
        fprintf(stderr, "Swift's libraries have no %s any more\n", name);
        abort();
    }
    return function;
}

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock_slow(uint32_t thread, SWIFT_SELF const void *handle) __asm__(LOCK);
SWIFT void lock_slow(uint32_t thread, SWIFT_SELF const void *handle) {
    ((__typeof__(&lock_slow))next(LOCK))(thread, handle);
    if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT bool try_lock_slow(SWIFT_SELF const void *handle) __asm__(TRY_LOCK);
SWIFT bool try_lock_slow(SWIFT_SELF const void *handle) {
    bool locked = ((__typeof__(&try_lock_slow))next(TRY_LOCK))(handle);
    if (locked && __tsan_acquire) __tsan_acquire(handle);
    return locked;
}

SWIFT void unlock_slow(SWIFT_SELF const void *handle) __asm__(UNLOCK);
SWIFT void unlock_slow(SWIFT_SELF const void *handle) {
    if (__tsan_release) __tsan_release(handle);
    ((__typeof__(&unlock_slow))next(UNLOCK))(handle);
}

typedef SWIFT_ASYNC void (*resume_function)(SWIFT_ASYNC_CONTEXT void *context);

// The beginning of `ContinuationAsyncContext` in the runtime's ABI/Task.h.
struct continuation {
    void *parent;
    resume_function resume;
    uintptr_t flags;
};
enum { resumes_on_an_executor = 2 };

extern SWIFT void *swift_task_getCurrent(void) __attribute__((weak));

// The point where a task continues if the answer came early: on the thread that was about to wait, before anything
// else.
static _Thread_local resume_function goes_on;

static SWIFT_ASYNC void resumed(SWIFT_ASYNC_CONTEXT void *context) {
    __tsan_acquire(swift_task_getCurrent());
    __attribute__((musttail)) return goes_on(context);
}

SWIFT_ASYNC void swift_continuation_await(struct continuation *continuation) {
    if (__tsan_acquire && !(continuation->flags & resumes_on_an_executor)) {
        goes_on = continuation->resume;
        continuation->resume = resumed;
    }
    __attribute__((musttail)) return ((__typeof__(&swift_continuation_await))next("swift_continuation_await"))(continuation);
}
