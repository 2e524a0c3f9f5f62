#define _GNU_SOURCE
#include "state.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

// Calls that change an open file, or flush it.

static bool is_ours(int file, char *path, size_t size) {
    return simulation_is_here && simulation_depth == 0 && simulation_path_of(file, path, size)
           && simulation_concerns(path);
}

static long change_file(
    enum simulation_change_kind kind, int file, int64_t offset, const void *bytes, size_t size, long number, long a,
    long b, long c, long d, long e, long f) {
    char path[PATH_MAX];
    if (!is_ours(file, path, sizeof path)) return simulation_system_call(number, a, b, c, d, e, f);
    struct simulation_change change = {
        .kind = kind, .file = file, .path = path, .offset = offset, .bytes = bytes, .size = size};
    if (simulation_ask(&change) != 0) return -1;
    long result = simulation_system_call(number, a, b, c, d, e, f);
    if (result < 0) return result;
    if (kind == SIMULATION_WRITE) change.size = (size_t)result;
    simulation_tell(&change);
    return result;
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t offset) {
    return change_file(
        SIMULATION_WRITE, file, offset, bytes, size, SYS_pwrite64, file, (long)bytes, (long)size, offset, 0, 0);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) {
    return pwrite64(file, bytes, size, offset);
}

ssize_t write(int file, const void *bytes, size_t size) {
    int64_t offset = simulation_is_here ? lseek(file, 0, SEEK_CUR) : 0;
    if (offset < 0) {
        offset = 0;
        errno = 0;
    }
    return change_file(
        SIMULATION_WRITE, file, offset, bytes, size, SYS_write, file, (long)bytes, (long)size, 0, 0, 0);
}

int ftruncate64(int file, off64_t size) {
    return (int)change_file(SIMULATION_TRUNCATE, file, size, NULL, 0, SYS_ftruncate, file, size, 0, 0, 0, 0);
}

int ftruncate(int file, off_t size) {
    return ftruncate64(file, size);
}

ssize_t copy_file_range(
    int source, off64_t *source_offset, int target, off64_t *target_offset, size_t size, unsigned flags) {
    char path[PATH_MAX];
    if (is_ours(target, path, sizeof path)) {
        // Whoever copies does it by hand then, and each piece of it is seen.
        errno = EXDEV;
        return -1;
    }
    return simulation_system_call(
        SYS_copy_file_range, source, (long)source_offset, target, (long)target_offset, (long)size, flags);
}

/// What is only set aside shows in nothing that a host sees, and memory would be filled with zeros for it.
int fallocate64(int file, int mode, off64_t offset, off64_t size) {
    char path[PATH_MAX];
    if ((mode & FALLOC_FL_KEEP_SIZE) != 0 && is_ours(file, path, sizeof path)) return 0;
    return (int)simulation_system_call(SYS_fallocate, file, mode, offset, size, 0, 0);
}

int fallocate(int file, int mode, off_t offset, off_t size) {
    return fallocate64(file, mode, offset, size);
}

int fsync(int file) {
    return (int)change_file(SIMULATION_FLUSH, file, 0, NULL, 0, SYS_fsync, file, 0, 0, 0, 0, 0);
}

int fdatasync(int file) {
    return (int)change_file(SIMULATION_FLUSH, file, 0, NULL, 0, SYS_fdatasync, file, 0, 0, 0, 0, 0);
}

int syncfs(int file) {
    return (int)change_file(SIMULATION_FLUSH_ALL, file, 0, NULL, 0, SYS_syncfs, file, 0, 0, 0, 0, 0);
}

int fchmod(int file, mode_t mode) {
    return (int)change_file(SIMULATION_ATTRIBUTES, file, 0, NULL, 0, SYS_fchmod, file, mode, 0, 0, 0, 0);
}

int futimens(int file, const struct timespec times[2]) {
    return (int)change_file(
        SIMULATION_ATTRIBUTES, file, 0, NULL, 0, SYS_utimensat, file, 0, (long)times, 0, 0, 0);
}

int fsetxattr(int file, const char *name, const void *value, size_t size, int flags) {
    return (int)change_file(
        SIMULATION_ATTRIBUTES, file, 0, NULL, 0, SYS_fsetxattr, file, (long)name, (long)value, (long)size, flags, 0);
}

int fremovexattr(int file, const char *name) {
    return (int)change_file(
        SIMULATION_ATTRIBUTES, file, 0, NULL, 0, SYS_fremovexattr, file, (long)name, 0, 0, 0, 0);
}
