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
    // A sandbox whose filter cannot look into the call's flags has none of it.
    if (file < 0 && errno == ENOSYS) return docent_open_stepwise(folder, path, flags, mode, resolve);
    return file < 0 ? -errno : (int)file;
}

// Whether two open files are below the same mount.
static int is_same_mount(int one, int other) {
    struct statx status[2];
    if (statx(one, "", AT_EMPTY_PATH, STATX_MNT_ID, &status[0]) != 0 ||
        statx(other, "", AT_EMPTY_PATH, STATX_MNT_ID, &status[1]) != 0) {
        return 0;
    }
    // Where the kernel does not number them yet (before 5.8) both are 0.
    return status[0].stx_dev_major == status[1].stx_dev_major && status[0].stx_dev_minor == status[1].stx_dev_minor &&
           (!(status[0].stx_mask & status[1].stx_mask & STATX_MNT_ID) || status[0].stx_mnt_id == status[1].stx_mnt_id);
}

static int is_link(int folder, const char *name) {
    struct stat status;
    return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) == 0 && S_ISLNK(status.st_mode);
}

static int open_once(int folder, const char *name, uint64_t flags, uint32_t mode) {
    int file;
    do {
        file = openat(folder, name, (int)flags | O_CLOEXEC, mode);
    } while (file < 0 && errno == EINTR);
    return file;
}

// One step: a name, and never a link.
static int open_step(int folder, const char *name, uint64_t flags, uint32_t mode) {
    int file = open_once(folder, name, flags | O_NOFOLLOW, mode);
    // Of a link that must not be followed the kernel says that it is no folder.
    if (file < 0 && errno == ENOTDIR && !(flags & O_NOFOLLOW) && is_link(folder, name)) errno = ELOOP;
    if (file < 0 || !(flags & O_PATH) || (flags & O_NOFOLLOW) || !is_link(file, "")) return file;
    close(file);
    errno = ELOOP;
    return -1;
}

int docent_open_stepwise(int folder, const char *path, uint64_t flags, uint32_t mode, uint64_t resolve) {
    if (resolve == 0) {
        int file = open_once(folder, path, flags, mode);
        return file < 0 ? -errno : file;
    }
    if (!(resolve & DOCENT_RESOLVE_NO_SYMLINKS) || !(resolve & DOCENT_RESOLVE_BENEATH)) return -ENOSYS;
    if (*path == '/') return -EXDEV;
    if (*path == 0) return -ENOENT;
    int current = folder;
    for (;;) {
        size_t length = strcspn(path, "/");
        char name[256];
        int result = 0;
        if (length >= sizeof name) result = ENAMETOOLONG;
        if (length == 2 && path[0] == '.' && path[1] == '.') result = EXDEV;
        const char *rest = path + length + strspn(path + length, "/");
        int is_last = *rest == 0;
        if (is_last && path[length] == '/' && (flags & O_CREAT)) result = EISDIR;
        int next = -1;
        if (result == 0) {
            memcpy(name, path, length);
            name[length] = 0;
            // A slash at the end asks for a folder, and for what a link leads to.
            uint64_t last = path[length] == '/' ? (flags & ~(uint64_t)O_NOFOLLOW) | O_DIRECTORY : flags;
            next = is_last ? open_step(current, name, last, mode) : open_step(current, name, O_PATH | O_DIRECTORY, 0);
            result = next < 0 ? errno : 0;
        }
        if (result == 0 && (resolve & DOCENT_RESOLVE_NO_XDEV) && !is_same_mount(folder, next)) {
            close(next);
            result = EXDEV;
        }
        if (current != folder) close(current);
        if (result != 0) return -result;
        if (is_last) return next;
        current = next;
        path = rest;
    }
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
