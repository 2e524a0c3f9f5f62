#define _GNU_SOURCE
#include "docent_processes.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int64_t microseconds(struct timeval time) { return (int64_t)time.tv_sec * 1000000 + time.tv_usec; }

int docent_child_usage(int descriptor, struct docent_usage *usage) {
    siginfo_t info = {0};
    struct rusage used = {0};
    // libc's waitid does not give the usage; the system call does, also of a child that is left where it is.
    long result;
    do {
        result = syscall(SYS_waitid, 3 /* P_PIDFD */, descriptor, &info, WEXITED | WNOWAIT | WNOHANG, &used);
    } while (result < 0 && errno == EINTR);
    if (result < 0) return -errno;
    if (info.si_pid == 0) return -EAGAIN;
    *usage = (struct docent_usage){
        .user_microseconds = microseconds(used.ru_utime),
        .system_microseconds = microseconds(used.ru_stime),
        .peak_kibibytes = used.ru_maxrss,
        .page_faults = used.ru_majflt,
        .blocks_read = used.ru_inblock,
        .blocks_written = used.ru_oublock,
    };
    return 0;
}

int docent_adopt_orphans(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0 ? 0 : -errno; }

int docent_kill_child(pid_t child) { return kill(child, SIGKILL) == 0 ? 0 : -errno; }

int docent_take_in_child(pid_t child) {
    siginfo_t info = {0};
    int result;
    do {
        result = waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | __WALL);
    } while (result < 0 && errno == EINTR);
    if (result < 0) return -errno;
    return info.si_pid == child ? 1 : 0;
}
