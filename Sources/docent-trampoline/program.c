#define _GNU_SOURCE
#include "program.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "limits.h"
#include "sandbox.h"

static void fail(const char *what) {
    fprintf(stderr, "docent-trampoline: %s: %s\n", what, strerror(errno));
    _exit(EXIT_SETUP);
}

static void close_descriptors(unsigned first, unsigned last) {
    if (first > last) return;  // EINVAL would look like an old kernel
    if (syscall(SYS_close_range, first, last, 0) == 0) return;
    long most = sysconf(_SC_OPEN_MAX);
    if (most < 0 || most > 65536) most = 65536;
    if (last < (unsigned)most) most = (long)last + 1;
    for (long descriptor = first; descriptor < most; descriptor++) close((int)descriptor);
}

void docent_close_descriptors_but(const int kept[], unsigned count) {
    unsigned first = STDERR_FILENO + 1;
    for (unsigned index = 0; index < count; index++) {
        if ((unsigned)kept[index] < first) continue;
        close_descriptors(first, (unsigned)kept[index] - 1);
        first = (unsigned)kept[index] + 1;
    }
    close_descriptors(first, ~0U);
}

// Not by `signal`, which does not touch the two that libc keeps for itself and that `posix_spawn` leaves ignored.
void docent_restore_signals(void) {
    static const unsigned long all_default[8];  // larger than the kernel's structure anywhere; 0 is SIG_DFL
    for (int number = 1; number <= 64; number++) {
        syscall(SYS_rt_sigaction, number, all_default, NULL, (size_t)8);  // fails for SIGKILL and SIGSTOP
    }
}

int docent_become_program(const struct options *options, int channel) {
    const char *program = options->program[0];
    // Executing a set-user-id program would clear the parent-death signal, besides what else it would do.
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("prctl(PR_SET_NO_NEW_PRIVS)");

    umask(077);
    const char *what = NULL;
    if (limits_apply(&options->limits, &what) != 0) fail(what);

    docent_restore_signals();
    sigset_t none;
    sigemptyset(&none);
    if (sigprocmask(SIG_SETMASK, &none, NULL) != 0) fail("sigprocmask");
    docent_close_descriptors_but(&channel, 1);

    // Afterwards nobody can be counted.
    unsigned long tasks = options->is_confined || options->limits.processes > 0 ? limits_count_tasks() : 0;
    bool counts_tasks = false;
    if (options->is_confined && sandbox_enter(&options->sandbox, channel, &counts_tasks, &what) != 0) fail(what);
    if (tasks > 0 && !counts_tasks && limits_apply_tasks(&options->limits, tasks) != 0) fail("the limit of processes");

    execv(program, options->program);
    int error = errno;
    // A file that is there and "not found" lacks its interpreter or its dynamic loader.
    const char *hint = error == ENOENT && access(program, F_OK) == 0 ? " (its interpreter or loader is missing)"
                       : error == EACCES && options->is_confined     ? " (it, its interpreter or its loader)"
                                                                     : "";
    fprintf(stderr, "docent-trampoline: cannot execute %s: %s%s\n", program, strerror(error), hint);
    return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}
