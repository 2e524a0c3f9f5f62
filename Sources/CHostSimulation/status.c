#define _GNU_SOURCE
#include "state.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

// Times and numbers of files that are the same in each run. The system gives numbers in an order of its own, and lets nobody
// set the time of an inode's change.

struct known_file {
    uint64_t inode;
    uint64_t number;
    struct timespec changed;
};

enum { capacity = 1 << 18 };
static struct known_file *known;
static uint64_t last_number;

static struct known_file *find(uint64_t inode) {
    if (known == NULL) known = calloc(capacity, sizeof *known);
    if (known == NULL) abort();
    size_t place = (size_t)((inode * 0x9E3779B97F4A7C15u) >> 46) & (capacity - 1);
    while (known[place].inode != 0 && known[place].inode != inode) place = (place + 1) & (capacity - 1);
    if (known[place].inode == 0) {
        known[place].inode = inode;
        known[place].number = ++last_number;
        clock_gettime(CLOCK_REALTIME, &known[place].changed);
    }
    return &known[place];
}

static void simulation_touch(uint64_t inode) {
    clock_gettime(CLOCK_REALTIME, &find(inode)->changed);
}

void simulation_touched(int file, const char *path) {
    struct stat found;
    long result = path != NULL
                      ? simulation_system_call(
                          SYS_newfstatat, AT_FDCWD, (long)path, (long)&found, AT_SYMLINK_NOFOLLOW, 0, 0)
                      : simulation_system_call(SYS_fstat, file, (long)&found, 0, 0, 0, 0);
    if (result >= 0) simulation_touch(found.st_ino);
}

static uint64_t device;

static bool is_ours(uint64_t found) {
    if (!simulation_is_here) return false;
    if (device == 0) {
        struct stat own;
        if (simulation_system_call(SYS_newfstatat, AT_FDCWD, (long)simulation_folder, (long)&own, 0, 0, 0) < 0) {
            return false;
        }
        device = own.st_dev;
    }
    return found == device;
}

static int adapt(int result, struct stat *found) {
    if (result < 0 || !is_ours(found->st_dev)) return result;
    struct known_file *file = find(found->st_ino);
    if (simulation_depth > 0) return result;
    found->st_ino = file->number;
    found->st_ctim = file->changed;
    if (!S_ISREG(found->st_mode)) found->st_mtim = file->changed;
    return result;
}

int fstatat(int folder, const char *path, struct stat *found, int flags) {
    long result = simulation_system_call(SYS_newfstatat, folder, (long)path, (long)found, flags, 0, 0);
    return adapt((int)result, found);
}

int fstat(int file, struct stat *found) {
    return adapt((int)simulation_system_call(SYS_fstat, file, (long)found, 0, 0, 0, 0), found);
}

int stat(const char *path, struct stat *found) {
    return fstatat(AT_FDCWD, path, found, 0);
}

int lstat(const char *path, struct stat *found) {
    return fstatat(AT_FDCWD, path, found, AT_SYMLINK_NOFOLLOW);
}

int statx(int folder, const char *restrict path, int flags, unsigned mask, struct statx *restrict found) {
    long result = simulation_system_call(SYS_statx, folder, (long)path, flags, mask, (long)found, 0);
    if (result < 0 || simulation_depth > 0) return (int)result;
    if (!is_ours(((uint64_t)found->stx_dev_major << 8) | found->stx_dev_minor)) return 0;
    struct known_file *file = find(found->stx_ino);
    found->stx_ino = file->number;
    found->stx_ctime.tv_sec = file->changed.tv_sec;
    found->stx_ctime.tv_nsec = (unsigned)file->changed.tv_nsec;
    found->stx_mask &= ~(unsigned)STATX_BTIME;
    return 0;
}

/// As the system gives them, each with its own length.
struct listed_entry {
    uint64_t inode;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[];
};

void simulation_renumber(int folder, void *entries, ssize_t size) {
    struct stat found;
    if (size <= 0 || simulation_system_call(SYS_fstat, folder, (long)&found, 0, 0, 0, 0) < 0) return;
    if (!is_ours(found.st_dev)) return;
    for (ssize_t place = 0; place < size;) {
        struct listed_entry *entry = (struct listed_entry *)((char *)entries + place);
        if (entry->length == 0) return;
        entry->inode = find(entry->inode)->number;
        place += entry->length;
    }
}
