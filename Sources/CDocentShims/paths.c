#define _GNU_SOURCE
#include "docent_paths.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

_Static_assert(DOCENT_PLACE_ONLY == O_PATH, "the flag has the kernel's value");

int docent_openat2(int folder, const char *path, uint64_t flags, uint32_t mode, uint64_t resolve) {
    struct open_how how;
    memset(&how, 0, sizeof how);
    how.flags = flags | O_CLOEXEC | O_LARGEFILE;
    // The call refuses a mode where nothing is created.
    how.mode = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? mode : 0;
    if ((flags & O_PATH)) how.flags &= ~(uint64_t)O_LARGEFILE;
    how.resolve = resolve;
    long file;
    // EAGAIN: the tree was renamed around while the path was walked, so that the kernel cannot vouch for it.
    int attempts = 0;
    do {
        file = syscall(SYS_openat2, folder, path, &how, sizeof how);
    } while (file < 0 && (errno == EINTR || (errno == EAGAIN && attempts++ < 64)));
    return file < 0 ? -errno : (int)file;
}

int docent_close(int file) {
    // On Linux the descriptor is gone also after EINTR: never repeated.
    return close(file) < 0 ? -errno : 0;
}

int docent_mkdirat(int folder, const char *name, uint32_t mode) {
    return mkdirat(folder, name, mode) < 0 ? -errno : 0;
}

int docent_unlinkat(int folder, const char *name, int is_folder) {
    return unlinkat(folder, name, is_folder ? AT_REMOVEDIR : 0) < 0 ? -errno : 0;
}

int docent_renameat2(
    int from_folder, const char *from_name, int to_folder, const char *to_name, uint32_t flags) {
    return syscall(SYS_renameat2, from_folder, from_name, to_folder, to_name, flags) < 0 ? -errno : 0;
}

int docent_linkat(int from_folder, const char *from_name, int to_folder, const char *to_name) {
    return linkat(from_folder, from_name, to_folder, to_name, 0) < 0 ? -errno : 0;
}

int docent_link_open_file(int file, int to_folder, const char *to_name) {
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return linkat(AT_FDCWD, path, to_folder, to_name, AT_SYMLINK_FOLLOW) < 0 ? -errno : 0;
}

int docent_symlinkat(const char *target, int folder, const char *name) {
    return symlinkat(target, folder, name) < 0 ? -errno : 0;
}

ssize_t docent_readlinkat(int folder, const char *name, char *buffer, size_t size) {
    ssize_t length = readlinkat(folder, name, buffer, size);
    return length < 0 ? -errno : length;
}

int docent_duplicate(int file) {
    int copy = fcntl(file, F_DUPFD_CLOEXEC, 0);
    return copy < 0 ? -errno : copy;
}
