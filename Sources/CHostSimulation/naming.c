#define _GNU_SOURCE
#include "state.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Calls that change names.

static bool is_free(void) {
    return simulation_is_here && simulation_depth == 0;
}

static long change_name(
    enum simulation_change_kind kind, int folder, const char *name, int other_folder, const char *_Nullable other_name,
    long number, long a, long b, long c, long d, long e) {
    char path[PATH_MAX], other[PATH_MAX];
    bool is_ours = is_free() && simulation_absolute(folder, name, path, sizeof path) && simulation_concerns(path)
                   && (other_name == NULL || simulation_absolute(other_folder, other_name, other, sizeof other));
    if (!is_ours) return simulation_system_call(number, a, b, c, d, e, 0);
    struct simulation_change change = {
        .kind = kind, .file = -1, .path = path, .other = other_name == NULL ? NULL : other};
    if (simulation_ask(&change) != 0) return -1;
    long result = simulation_system_call(number, a, b, c, d, e, 0);
    if (result >= 0) simulation_tell(&change);
    return result;
}

/// Where a path that is given to be opened really leads.
static const char *redirected(const char *path, char *place, size_t size) {
    const char *own = strcmp(path, "/dev/urandom") == 0                            ? "random"
                      : strcmp(path, "/proc/sys/kernel/random/boot_id") == 0 ? "boot-id"
                                                                                    : NULL;
    if (own == NULL) return path;
    snprintf(place, size, "%s%s", simulation_folder, own);
    return place;
}

static int open_file(int folder, const char *path, int flags, mode_t mode, struct open_how *how) {
    char place[PATH_MAX], absolute[PATH_MAX];
    if (simulation_is_here && how == NULL) path = redirected(path, place, sizeof place);
    // Beneath a folder that is not redirected itself.
    if (simulation_is_here && how != NULL && strcmp(path, "boot_id") == 0
        && simulation_absolute(folder, path, absolute, sizeof absolute)) {
        const char *own = redirected(absolute, place, sizeof place);
        if (own != absolute) (path = own, how = NULL);
    }
    struct simulation_change change = {.file = -1, .path = absolute};
    bool makes = false, empties = false;
    if (is_free() && (flags & (O_CREAT | O_TRUNC)) != 0 && (flags & O_DIRECTORY) == 0
        && simulation_absolute(folder, path, absolute, sizeof absolute) && simulation_concerns(absolute)) {
        struct stat found;
        simulation_depth++;
        bool exists = fstatat(AT_FDCWD, absolute, &found, AT_SYMLINK_NOFOLLOW) == 0;
        simulation_depth--;
        makes = !exists && (flags & O_CREAT) != 0;
        empties = exists && (flags & O_TRUNC) != 0 && found.st_size > 0;
        change.kind = makes ? SIMULATION_CREATE : SIMULATION_TRUNCATE;
        if ((makes || empties) && simulation_ask(&change) != 0) return -1;
    }
    long file = how == NULL ? simulation_system_call(SYS_openat, folder, (long)path, flags, mode, 0, 0)
                            : simulation_system_call(SYS_openat2, folder, (long)path, (long)how, sizeof *how, 0, 0);
    if (file >= 0 && (makes || empties)) {
        change.file = (int)file;
        simulation_tell(&change);
    }
    return (int)file;
}

static mode_t mode_of(int flags, va_list rest) {
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
}

#define OPENING(name)                                        \
    int name(const char *path, int flags, ...) {             \
        va_list rest;                                        \
        va_start(rest, flags);                               \
        mode_t mode = mode_of(flags, rest);                  \
        va_end(rest);                                        \
        return open_file(AT_FDCWD, path, flags, mode, NULL); \
    }
#define OPENING_AT(name)                                     \
    int name(int folder, const char *path, int flags, ...) { \
        va_list rest;                                        \
        va_start(rest, flags);                               \
        mode_t mode = mode_of(flags, rest);                  \
        va_end(rest);                                        \
        return open_file(folder, path, flags, mode, NULL);   \
    }
OPENING(open)
OPENING(open64)
OPENING_AT(openat)
OPENING_AT(openat64)

int mkdirat(int folder, const char *name, mode_t mode) {
    return (int)change_name(
        SIMULATION_MAKE_FOLDER, folder, name, 0, NULL, SYS_mkdirat, folder, (long)name, mode, 0, 0);
}

int mkdir(const char *path, mode_t mode) {
    return mkdirat(AT_FDCWD, path, mode);
}

int unlinkat(int folder, const char *name, int flags) {
    enum simulation_change_kind kind = (flags & AT_REMOVEDIR) != 0 ? SIMULATION_REMOVE_FOLDER : SIMULATION_UNLINK;
    return (int)change_name(kind, folder, name, 0, NULL, SYS_unlinkat, folder, (long)name, flags, 0, 0);
}

int unlink(const char *path) {
    return unlinkat(AT_FDCWD, path, 0);
}

int rmdir(const char *path) {
    return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

int renameat2(int folder, const char *name, int other_folder, const char *other, unsigned flags) {
    enum simulation_change_kind kind = (flags & RENAME_EXCHANGE) != 0 ? SIMULATION_EXCHANGE : SIMULATION_RENAME;
    return (int)change_name(
        kind, folder, name, other_folder, other, SYS_renameat2, folder, (long)name, other_folder, (long)other, flags);
}

int renameat(int folder, const char *name, int other_folder, const char *other) {
    return renameat2(folder, name, other_folder, other, 0);
}

int rename(const char *path, const char *other) {
    return renameat2(AT_FDCWD, path, AT_FDCWD, other, 0);
}

int linkat(int folder, const char *name, int other_folder, const char *other, int flags) {
    char source[PATH_MAX];
    int file;
    const char *shown = name;
    if (is_free() && sscanf(name, "/proc/self/fd/%d", &file) == 1 && simulation_path_of(file, source, sizeof source)) {
        shown = source;
    }
    return (int)change_name(
        SIMULATION_LINK, folder, shown, other_folder, other, SYS_linkat, folder, (long)name, other_folder, (long)other,
        flags);
}

int link(const char *path, const char *other) {
    return linkat(AT_FDCWD, path, AT_FDCWD, other, 0);
}

int symlinkat(const char *target, int folder, const char *name) {
    return (int)change_name(
        SIMULATION_SYMLINK, folder, name, 0, NULL, SYS_symlinkat, (long)target, folder, (long)name, 0, 0);
}

long syscall(long number, ...) {
    long a[6];
    va_list rest;
    va_start(rest, number);
    for (int index = 0; index < 6; index++) a[index] = va_arg(rest, long);
    va_end(rest);
    if (simulation_is_here) {
        switch (number) {
        case SYS_getrandom: simulation_fill_random((void *)a[0], (size_t)a[1]); return a[1];
        case SYS_openat2: {
            struct open_how *how = (struct open_how *)a[2];
            return open_file((int)a[0], (const char *)a[1], (int)how->flags, (mode_t)how->mode, how);
        }
        case SYS_renameat2:
            return renameat2((int)a[0], (const char *)a[1], (int)a[2], (const char *)a[3], (unsigned)a[4]);
        case SYS_getdents64: {
            long size = simulation_system_call(number, a[0], a[1], a[2], 0, 0, 0);
            if (simulation_depth == 0) simulation_renumber((int)a[0], (void *)a[1], size);
            return size;
        }
        default: break;
        }
    }
    return simulation_system_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
