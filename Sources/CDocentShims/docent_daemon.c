#define _GNU_SOURCE
#include "docent_daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct docent_start_report {
    pid_t process;
    int error;
};

static void docent_report(int pipe, pid_t process, int error) {
    struct docent_start_report report = {process, error};
    ssize_t ignored = write(pipe, &report, sizeof(report));
    (void)ignored;
}

// Runs in the child of a fork: only calls that are safe there.
static void docent_become_daemon(const char *path, char *const *arguments, char *const *environment, int log,
                                 int report) {
    struct sigaction plain = {.sa_handler = SIG_DFL};
    for (int number = 1; number < NSIG; number++) sigaction(number, &plain, NULL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);

    // The report's descriptor closes when the program runs; moved to 3, above what the program gets.
    int input = open("/dev/null", O_RDONLY);
    int kept = fcntl(report, F_DUPFD_CLOEXEC, 16);
    int output = fcntl(log, F_DUPFD_CLOEXEC, 16);
    if (input < 0 || kept < 0 || output < 0 || dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0 ||
        dup3(kept, 3, O_CLOEXEC) < 0 || chdir("/") < 0) {
        docent_report(report, 0, errno);
        _exit(127);
    }
    syscall(SYS_close_range, 4U, ~0U, 0U);
    execve(path, arguments, environment);
    docent_report(3, 0, errno);
    _exit(127);
}

pid_t docent_start_daemon(const char *path, char *const *arguments, char *const *environment, int log) {
    int report[2];
    if (pipe2(report, O_CLOEXEC) < 0) return -errno;
    pid_t child = fork();
    if (child < 0) {
        int error = errno;
        close(report[0]);
        close(report[1]);
        return -error;
    }
    if (child == 0) {
        setsid();
        pid_t daemon = fork();
        if (daemon == 0) docent_become_daemon(path, arguments, environment, log, report[1]);
        docent_report(report[1], daemon, daemon < 0 ? errno : 0);
        _exit(0);
    }
    close(report[1]);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    // Two reports at most, in either order: the process, and what kept it from running. Then the end of the stream.
    struct docent_start_report entry;
    pid_t process = -ECHILD;
    int error = 0;
    for (;;) {
        ssize_t count = read(report[0], &entry, sizeof(entry));
        if (count < 0 && errno == EINTR) continue;
        if (count != (ssize_t)sizeof(entry)) break;
        if (entry.error != 0) error = entry.error;
        else process = entry.process;
    }
    close(report[0]);
    return error != 0 ? -error : process;
}

int docent_open_process(pid_t process) {
    int descriptor = (int)syscall(SYS_pidfd_open, process, 0);
    return descriptor < 0 ? -errno : descriptor;
}

int docent_end_process(int descriptor) {
    return syscall(SYS_pidfd_send_signal, descriptor, SIGTERM, NULL, 0) < 0 ? -errno : 0;
}

int docent_process_has_ended(int descriptor) {
    struct pollfd entry = {.fd = descriptor, .events = POLLIN};
    return poll(&entry, 1, 0) > 0;
}
