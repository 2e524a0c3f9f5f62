// How much a provider may use.
#ifndef DOCENT_TRAMPOLINE_LIMITS_H
#define DOCENT_TRAMPOLINE_LIMITS_H

// 0 stands for the usual.
struct limits {
    // Bytes of data a process (RLIMIT_DATA): heap, stacks of threads, private writable mappings; not code.
    unsigned long long memory;
    // Descriptors a process (RLIMIT_NOFILE).
    unsigned long long open_files;
    // Processes beside the program's own.
    unsigned processes;
};

// 0, or -1 with errno and with `*what` saying which of them failed. They cannot be raised again.
int limits_apply(const struct limits *limits, const char **what);

// How many threads and processes this user has, as far as can be seen.
unsigned long limits_count_tasks(void);

// Limits them for the user as a whole (RLIMIT_NPROC, which the kernel counts for each user and never for root): where the
// shepherd cannot count those of the provider alone (tasks.h). `tasks` is how many there are already.
int limits_apply_tasks(const struct limits *limits, unsigned long tasks);

#endif
