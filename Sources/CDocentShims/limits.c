#define _GNU_SOURCE
#include "docent_limits.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/resource.h>

int docent_limit_files(pid_t process, uint64_t bytes) {
    struct rlimit limit = {.rlim_cur = (rlim_t)bytes, .rlim_max = (rlim_t)bytes};
    return prlimit(process, RLIMIT_FSIZE, &limit, NULL) == 0 ? 0 : -errno;
}

// Those that the runtime catches. Without its handlers a signal that somebody sends ends the process, too: they let it live on.
static void crash_at_once(void) {
    static const int crashes[] = {SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
    if (getenv("SWIFT_BACKTRACE") != NULL) return;
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) (void)signal(crashes[i], SIG_DFL);
}

void docent_leave_no_core(void) {
    crash_at_once();
    struct rlimit limit;
    // Whoever looks for a mistake can raise it again.
    if (getrlimit(RLIMIT_CORE, &limit) != 0) return;
    // Too little for a core in a file, and the value at which the kernel gives none to a program that collects them either,
    // which it does at 0 (core(5)).
    limit.rlim_cur = limit.rlim_max < 1 ? limit.rlim_max : 1;
    (void)setrlimit(RLIMIT_CORE, &limit);
}
