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
    limit.rlim_cur = 0;
    (void)setrlimit(RLIMIT_CORE, &limit);
}
