#define _GNU_SOURCE
#include "docent_attributes.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>

int docent_fsetxattr(int file, const char *name, const void *value, size_t size, int flags) {
    return fsetxattr(file, name, value, size, flags) < 0 ? -errno : 0;
}

ssize_t docent_fgetxattr(int file, const char *name, void *value, size_t size) {
    ssize_t length = fgetxattr(file, name, value, size);
    return length < 0 ? -errno : length;
}

int docent_fremovexattr(int file, const char *name) {
    return fremovexattr(file, name) < 0 ? -errno : 0;
}

ssize_t docent_flistxattr(int file, char *names, size_t size) {
    ssize_t length = flistxattr(file, names, size);
    return length < 0 ? -errno : length;
}

int docent_set_modified(int file, int64_t seconds, uint32_t nanoseconds) {
    struct timespec times[2] = {
        {.tv_sec = 0, .tv_nsec = UTIME_OMIT},
        {.tv_sec = seconds, .tv_nsec = nanoseconds},
    };
    return futimens(file, times) < 0 ? -errno : 0;
}

int docent_fchmod(int file, uint32_t mode) {
    return fchmod(file, mode) < 0 ? -errno : 0;
}
