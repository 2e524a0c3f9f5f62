#define _GNU_SOURCE
#include "docent_limits.h"

#include <errno.h>
#include <stddef.h>
#include <sys/resource.h>

int docent_limit_files(pid_t process, uint64_t bytes) {
    struct rlimit limit = {.rlim_cur = (rlim_t)bytes, .rlim_max = (rlim_t)bytes};
    return prlimit(process, RLIMIT_FSIZE, &limit, NULL) == 0 ? 0 : -errno;
}

void docent_leave_no_core(void) {
    struct rlimit limit;
    // Whoever looks for a mistake can raise it again.
    if (getrlimit(RLIMIT_CORE, &limit) != 0) return;
    // Too little for a core in a file, and the value at which the kernel gives none to a program that collects them either,
    // which it does at 0 (core(5)).
    limit.rlim_cur = limit.rlim_max < 1 ? limit.rlim_max : 1;
    (void)setrlimit(RLIMIT_CORE, &limit);
}
