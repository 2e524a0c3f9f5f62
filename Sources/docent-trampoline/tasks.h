// How many threads and processes a provider has, its children and theirs together.
//
// No limit of the kernel's counts that without a control group: RLIMIT_NPROC counts all that the user runs, so that a
// number that is right for one user stops another one's providers. So the filter of system calls hands each start of a
// thread to the shepherd, which counts, and has it fail when there are enough.
//
// Not that of a process: whoever waits for the shepherd can be interrupted by a signal, and where the signal's handler does
// not ask for a restart (a shell's for the end of its children does not), the fork fails with EINTR, which never happens
// otherwise. Libraries that start threads block signals meanwhile. Processes are counted every now and then, and a provider
// that has too many is ended.
#ifndef DOCENT_TRAMPOLINE_TASKS_H
#define DOCENT_TRAMPOLINE_TASKS_H

#include <stdbool.h>
#include <sys/types.h>

// More threads than any runtime starts by itself, on a large machine too; a provider may have so many, and one more for
// each process that it may start.
enum { TASKS_OF_A_PROVIDER = 512, PROCESSES_OF_A_PROVIDER = 1024 };

// How long a provider that may start processes goes uncounted, in milliseconds: few enough fit in there to do no harm.
enum { TASKS_INTERVAL = 50 };

struct tasks {
    // All that it starts is below it, or the shepherd's own child.
    pid_t provider;
    unsigned limit;
    // It cannot start processes.
    bool is_alone;
    // When processes were counted, in milliseconds.
    long long counted_at;
    // How many more threads there may be before they are counted anew.
    unsigned room;
    // The provider's author has been told.
    bool is_told;
};

// Whether there may be one thread more. What was allowed just now and has not begun is not seen by a count: a provider whose
// threads all start others at once can get beyond the limit by as many as it has.
bool tasks_may_grow(struct tasks *tasks);

// Whether there are more than there may be; its author is told. Looks once in an interval, whenever it is asked.
bool tasks_are_too_many(struct tasks *tasks);

#endif
