// Starts a provider so that it cannot outlive the host, whatever happens to the host.
//
//     docent-trampoline PARENT PROGRAM [ARGUMENT ...]
//
// PARENT is the process id of the host. The program gets the standard descriptors, the environment, the session and
// the working folder that the trampoline was given, and nothing else.
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// As shells have it: 126 for a program that cannot be executed, 127 for one that is not there.
enum { EXIT_SETUP = 125, EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

// More descriptors than a sane provider needs, and few enough that a leak is noticed.
enum { DESCRIPTORS_SOFT = 1024, DESCRIPTORS_HARD = 4096 };

static void fail(const char *what) {
    fprintf(stderr, "docent-trampoline: %s: %s\n", what, strerror(errno));
    _exit(EXIT_SETUP);
}

static void limit(int resource, rlim_t soft, rlim_t hard) {
    struct rlimit now;
    if (getrlimit(resource, &now) != 0) fail("getrlimit");
    // Lower only: the hard limit cannot be raised again.
    if (now.rlim_max < hard) hard = now.rlim_max;
    if (hard < soft) soft = hard;
    struct rlimit wanted = {.rlim_cur = soft, .rlim_max = hard};
    if (setrlimit(resource, &wanted) != 0) fail("setrlimit");
}

static void close_descriptors_from(unsigned first) {
    if (syscall(SYS_close_range, first, ~0U, 0) == 0) return;
    long most = sysconf(_SC_OPEN_MAX);
    if (most < 0 || most > 65536) most = 65536;
    for (long descriptor = first; descriptor < most; descriptor++) close((int)descriptor);
}

// Not by `signal`, which does not touch the two that libc keeps for itself and that `posix_spawn` leaves ignored.
static void restore_signals(void) {
    static const unsigned long all_default[8];  // larger than the kernel's structure anywhere; 0 is SIG_DFL
    for (int number = 1; number <= 64; number++) {
        syscall(SYS_rt_sigaction, number, all_default, NULL, (size_t)8);  // fails for SIGKILL and SIGSTOP
    }
}

int main(int argc, char *argv[]) {
    char *end = NULL;
    long parent = argc >= 3 ? strtol(argv[1], &end, 10) : 0;
    if (argc < 3 || end == argv[1] || *end != 0 || parent <= 0 || parent > INT_MAX) {
        fprintf(stderr, "usage: docent-trampoline PARENT PROGRAM [ARGUMENT ...]\n"
                        "docentd starts providers through it; it is of no use by hand.\n");
        return 64;
    }
    const char *program = argv[2];

    // The kernel kills us when the thread that made us ends. That it already has cannot be seen by the signal, so
    // look at the parent afterwards.
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) fail("prctl(PR_SET_PDEATHSIG)");
    if (getppid() != (pid_t)parent) {
        fprintf(stderr, "docent-trampoline: the host (process %ld) is gone\n", parent);
        return EXIT_SETUP;
    }
    // Executing a set-user-id program would clear the parent-death signal, besides what else it would do.
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("prctl(PR_SET_NO_NEW_PRIVS)");

    umask(077);
    limit(RLIMIT_CORE, 0, 0);
    limit(RLIMIT_NOFILE, DESCRIPTORS_SOFT, DESCRIPTORS_HARD);

    restore_signals();
    sigset_t none;
    sigemptyset(&none);
    if (sigprocmask(SIG_SETMASK, &none, NULL) != 0) fail("sigprocmask");
    close_descriptors_from(STDERR_FILENO + 1);

    execv(program, argv + 2);
    int error = errno;
    // A file that is there and "not found" lacks its interpreter or its dynamic loader.
    const char *hint = error == ENOENT && access(program, F_OK) == 0 ? " (its interpreter or loader is missing)" : "";
    fprintf(stderr, "docent-trampoline: cannot execute %s: %s%s\n", program, strerror(error), hint);
    return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}
