// Runs a program as if the kernel had no Landlock, or that of an older kernel.
//
//     without-landlock [VERSION] PROGRAM NAME [ARGUMENT ...]
//
// VERSION is what the kernel says of its Landlock then; a right or a scope that is newer than that is refused, as that
// kernel would. NAME is what the program is told that it is called.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { VERSION_FLAG = 1 };

struct ruleset {
    uint64_t files, net, scoped;
};

static int install(unsigned action, unsigned flags) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_landlock_create_ruleset, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, action),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {.len = sizeof code / sizeof *code, .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter);
}

// Whether a kernel of that version would make such a ruleset. Where nobody may look into another process, it is taken for
// one.
static int is_known(const struct seccomp_notif *request, int version) {
    struct ruleset wanted = {0};
    size_t size = request->data.args[1] < sizeof wanted ? (size_t)request->data.args[1] : sizeof wanted;
    struct iovec ours = {.iov_base = &wanted, .iov_len = size};
    struct iovec theirs = {.iov_base = (void *)(uintptr_t)request->data.args[0], .iov_len = size};
    if (process_vm_readv((pid_t)request->pid, &ours, 1, &theirs, 1, 0) != (ssize_t)size) return 1;
    int file_rights = version >= 5 ? 16 : version >= 3 ? 15 : version == 2 ? 14 : 13;
    if (wanted.files >> file_rights != 0) return 0;
    return (version >= 4 || wanted.net == 0) && (version >= 6 || wanted.scoped == 0);
}

// For as long as anybody has the filter.
static void answer_all(int listener, int version) {
    struct pollfd readable = {.fd = listener, .events = POLLIN};
    while (poll(&readable, 1, -1) > 0 && (readable.revents & POLLIN)) {
        struct seccomp_notif request;
        memset(&request, 0, sizeof request);
        if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &request) != 0) continue;
        struct seccomp_notif_resp response = {.id = request.id};
        if (request.data.args[2] & VERSION_FLAG) {
            response.val = version;
        } else if (is_known(&request, version)) {
            response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
        } else {
            response.error = -EINVAL;
        }
        ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
    }
}

// Nobody's child, with descriptors of its own: the program must not find it among what it has started, nor wait for it at
// the end of a pipe.
static void watch(int numbers, int version) {
    int listener = -1;
    if (read(numbers, &listener, sizeof listener) != sizeof listener || unshare(CLONE_FILES) != 0) _exit(1);
    setsid();
    if (listener > 0) syscall(SYS_close_range, 0U, (unsigned)listener - 1, 0U);
    syscall(SYS_close_range, (unsigned)listener + 1, ~0U, 0U);
    answer_all(listener, version);
    _exit(0);
}

static int pretend(int version) {
    int numbers[2];
    if (pipe2(numbers, O_CLOEXEC) != 0) return -1;
    // They share their descriptors, so that the listener, which is closed when the program is executed, need not be sent.
    pid_t child = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL, NULL, NULL, NULL);
    if (child < 0) return -1;
    if (child == 0) {
        if (syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL, NULL, NULL, NULL) == 0) watch(numbers[0], version);
        _exit(0);
    }
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    int listener = install(SECCOMP_RET_USER_NOTIF, SECCOMP_FILTER_FLAG_NEW_LISTENER);
    if (listener < 0 || write(numbers[1], &listener, sizeof listener) != sizeof listener) return -1;
    return 0;
}

int main(int argc, char *argv[]) {
    int version = argc > 1 ? atoi(argv[1]) : 0;
    char **program = argv + (version > 0 ? 2 : 1);
    if (argc < (version > 0 ? 4 : 3)) {
        fputs("usage: without-landlock [VERSION] PROGRAM NAME [ARGUMENT ...]\n", stderr);
        return 64;
    }
    if ((version > 0 ? pretend(version) : install(SECCOMP_RET_ERRNO | ENOSYS, 0)) != 0) {
        perror("without-landlock");
        return 1;
    }
    execv(program[0], program + 1);
    perror(program[0]);
    return 127;
}
