#define _GNU_SOURCE
#include "docent_entries.h"
#include "docent_status.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifndef STATX_ATTR_MOUNT_ROOT
#define STATX_ATTR_MOUNT_ROOT 0x2000
#endif

int docent_entry_status(int folder, const char *name, struct docent_entry_status *status) {
    struct statx found;
    int flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | (name[0] == '\0' ? AT_EMPTY_PATH : 0);
    if (statx(folder, name, flags, STATX_BASIC_STATS | STATX_BTIME, &found) < 0) return -errno;
    status->device = ((uint64_t)found.stx_dev_major << 32) | found.stx_dev_minor;
    status->inode = found.stx_ino;
    status->size = (int64_t)found.stx_size;
    status->modified_seconds = found.stx_mtime.tv_sec;
    status->modified_nanoseconds = found.stx_mtime.tv_nsec;
    status->changed_seconds = found.stx_ctime.tv_sec;
    status->changed_nanoseconds = found.stx_ctime.tv_nsec;
    status->has_birth = (found.stx_mask & STATX_BTIME) != 0;
    status->born_seconds = status->has_birth ? found.stx_btime.tv_sec : 0;
    status->born_nanoseconds = status->has_birth ? found.stx_btime.tv_nsec : 0;
    status->links = found.stx_nlink;
    status->owner = found.stx_uid;
    status->group = found.stx_gid;
    status->mode = found.stx_mode & 07777;
    status->type = S_ISREG(found.stx_mode)   ? DOCENT_TYPE_FILE
                   : S_ISDIR(found.stx_mode) ? DOCENT_TYPE_FOLDER
                   : S_ISLNK(found.stx_mode) ? DOCENT_TYPE_SYMLINK
                                             : DOCENT_TYPE_OTHER;
    status->is_mount_root = (found.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
    return 0;
}

int docent_may_write(int folder, const char *name) {
    return faccessat(folder, name, W_OK, AT_EACCESS) < 0 ? -errno : 0;
}

uint32_t docent_effective_user(void) {
    return geteuid();
}

void docent_file_clock(int64_t *seconds, uint32_t *nanoseconds) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    *seconds = now.tv_sec;
    *nanoseconds = (uint32_t)now.tv_nsec;
}

void docent_wait_past(int64_t seconds, uint32_t nanoseconds) {
    // A whole second: the file system knows no finer ones.
    if (nanoseconds == 0) nanoseconds = 999999999;
    for (int turn = 0; turn < 1500; turn++) {
        int64_t second;
        uint32_t nanosecond;
        docent_file_clock(&second, &nanosecond);
        if (second > seconds || (second == seconds && nanosecond > nanoseconds)) return;
        // A stamp of the future says nothing.
        if (second + 2 < seconds) return;
        docent_pause(1);
    }
}

void docent_pause(uint32_t milliseconds) {
    struct timespec left = {.tv_sec = milliseconds / 1000, .tv_nsec = (long)(milliseconds % 1000) * 1000000};
    while (nanosleep(&left, &left) < 0 && errno == EINTR) {}
}

void docent_trim_memory(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

int64_t docent_seek_data(int file, int64_t offset) {
    off64_t place = lseek64(file, offset, SEEK_DATA);
    return place < 0 ? -errno : place;
}

int docent_fchown(int file, uint32_t owner, uint32_t group) {
    return fchown(file, owner, group) < 0 ? -errno : 0;
}
