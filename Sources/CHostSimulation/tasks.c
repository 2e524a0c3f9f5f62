#define _GNU_SOURCE
#include "state.h"

// What Swift's runtime asks before it gives a job to the threads of its own: SwiftRuntime's Executor.h.

typedef void (*original_enqueue)(void *job) __attribute__((swiftcall));
typedef void (*original_delayed)(unsigned long long delay, void *job) __attribute__((swiftcall));
typedef void (*original_deadline)(
    long long second, long long nanosecond, long long tolerance, long long tolerance_nanoseconds, int clock, void *job)
    __attribute__((swiftcall));

struct executor {
    void *identity;
    uintptr_t implementation;
};

extern void *swift_task_enqueueGlobal_hook;
extern void *swift_task_enqueueGlobalWithDelay_hook;
extern void *swift_task_enqueueGlobalWithDeadline_hook;
extern void swift_job_run(void *job, struct executor executor) __attribute__((swiftcall));

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

__attribute__((swiftcall)) static void enqueue(void *job, original_enqueue original) {
    if (!simulation_is_here) {
        original(job);
        return;
    }
    simulation_hooks.enqueue(job, 0);
}

__attribute__((swiftcall)) static void enqueue_delayed(unsigned long long delay, void *job, original_delayed original) {
    if (!simulation_is_here) {
        original(delay, job);
        return;
    }
    simulation_hooks.enqueue(job, delay);
}

__attribute__((swiftcall)) static void enqueue_deadline(
    long long second, long long nanosecond, long long tolerance, long long tolerance_nanoseconds, int clock, void *job,
    original_deadline original) {
    if (!simulation_is_here) {
        original(second, nanosecond, tolerance, tolerance_nanoseconds, clock, job);
        return;
    }
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long long delay = (second - now.tv_sec) * 1000000000 + nanosecond - now.tv_nsec;
    simulation_hooks.enqueue(job, delay > 0 ? (uint64_t)delay : 0);
}

/// What is given to libdispatch to be done later. Told from a job of the runtime's by the lowest bit of its address.
struct later {
    void (*work)(void *context);
    void *context;
};

void simulation_run(void *job) {
    if (((uintptr_t)job & 1) == 0) {
        swift_job_run(job, (struct executor){0, 0});
        return;
    }
    struct later *place = (struct later *)((uintptr_t)job - 1), later = *place;
    free(place);
    later.work(later.context);
}

/// Where the runtime has `Task.sleep` end (from Swift 6.3 on, past its hooks).
void dispatch_after_f(uint64_t when, void *queue, void *context, void (*work)(void *context)) {
    if (!simulation_is_here) {
        void (*original)(uint64_t, void *, void *, void (*)(void *)) = dlsym(RTLD_NEXT, "dispatch_after_f");
        if (original != NULL) original(when, queue, context, work);
        return;
    }
    // libdispatch's times: of the clock that stands still while the machine sleeps, of the one that does not, or of the date.
    struct timespec now;
    bool isDate = when >> 62 == 3;
    clock_gettime(isDate ? CLOCK_REALTIME : CLOCK_MONOTONIC, &now);
    uint64_t moment = isDate ? -when : when & ((1ULL << 62) - 1);
    uint64_t present = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    struct later *later = malloc(sizeof *later);
    if (later == NULL) abort();
    *later = (struct later){work, context};
    simulation_hooks.enqueue((void *)((uintptr_t)later | 1), moment > present ? moment - present : 0);
}

__attribute__((constructor)) static void take_over(void) {
    swift_task_enqueueGlobal_hook = (void *)enqueue;
    swift_task_enqueueGlobalWithDelay_hook = (void *)enqueue_delayed;
    swift_task_enqueueGlobalWithDeadline_hook = (void *)enqueue_deadline;
}

/// Nothing runs beside the simulation: what the system's libraries would do later, on threads of their own, is not done. It is
/// no more than freeing memory, whose places would differ from run to run.
int pthread_create(
    pthread_t *restrict thread, const pthread_attr_t *restrict attributes, void *(*begin)(void *), void *restrict context) {
    if (simulation_is_here) {
        *thread = 0;
        return 0;
    }
    int (*original)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");
    return original == NULL ? EAGAIN : original(thread, attributes, begin, context);
}
