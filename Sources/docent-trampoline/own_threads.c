#define _GNU_SOURCE
#include "own_threads.h"

#include <linux/seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

// The thread that "/proc/NUMBER/stat" is about; 0 for any other path.
static pid_t thread_of(const char *path) {
    static const char before[] = "/proc/", after[] = "/stat";
    if (strncmp(path, before, sizeof before - 1) != 0) return 0;
    const char *digit = path + sizeof before - 1;
    pid_t thread = 0;
    for (int count = 0; *digit >= '0' && *digit <= '9'; digit++, count++) {
        if (count == 9) return 0;
        thread = thread * 10 + (*digit - '0');
    }
    return strcmp(digit, after) == 0 ? thread : 0;
}

// The path that the caller wants opened, as far as it matters; it may have changed since, and may be no text at all.
static pid_t wanted_thread(const struct seccomp_notif *request) {
    int index = 1;
#if defined(__x86_64__)
    if (request->data.nr == SYS_open) index = 0;
#endif
    char path[32] = {0};
    struct iovec ours = {.iov_base = path, .iov_len = sizeof path - 1};
    struct iovec theirs = {.iov_base = (void *)(uintptr_t)request->data.args[index], .iov_len = sizeof path - 1};
    return process_vm_readv((pid_t)request->pid, &ours, 1, &theirs, 1, 0) > 0 ? thread_of(path) : 0;
}

// -1 when it is none of its own. What is opened is a path that was put together here, and only the caller's own threads
// are below it.
static int open_own(int listener, const struct seccomp_notif *request) {
    pid_t thread = wanted_thread(request);
    if (thread == 0) return -1;
    char path[64];
    snprintf(path, sizeof path, "/proc/%u/task/%d/stat", (unsigned)request->pid, (int)thread);
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    // While the caller waits its number is its own; had it gone meanwhile, this would be about a stranger.
    if (file >= 0 && ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &request->id) != 0) {
        close(file);
        return -1;
    }
    return file;
}

bool own_threads_open(int listener, const struct seccomp_notif *request) {
    int file = open_own(listener, request);
    if (file < 0) return false;
    unsigned flags = (unsigned)request->data.args[request->data.nr == SYS_openat ? 2 : 1];
    struct seccomp_notif_addfd given = {
        .id = request->id,
        .flags = SECCOMP_ADDFD_FLAG_SEND,
        .srcfd = (unsigned)file,
        .newfd_flags = flags & O_CLOEXEC,
    };
    int result = ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &given);
    close(file);
    return result >= 0;
}
