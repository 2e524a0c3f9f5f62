#define _GNU_SOURCE
#include "docent_status.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>

static void fill(struct docent_status *status, const struct stat *found) {
    status->device = found->st_dev;
    status->inode = found->st_ino;
    status->size = found->st_size;
    status->blocks = found->st_blocks;
    status->modified_seconds = found->st_mtim.tv_sec;
    status->modified_nanoseconds = (uint32_t)found->st_mtim.tv_nsec;
    status->changed_seconds = found->st_ctim.tv_sec;
    status->changed_nanoseconds = (uint32_t)found->st_ctim.tv_nsec;
    status->links = (uint32_t)found->st_nlink;
    status->owner = found->st_uid;
    status->mode = found->st_mode & 07777;
    status->type = S_ISREG(found->st_mode)   ? DOCENT_TYPE_FILE
                   : S_ISDIR(found->st_mode) ? DOCENT_TYPE_FOLDER
                   : S_ISLNK(found->st_mode) ? DOCENT_TYPE_SYMLINK
                                             : DOCENT_TYPE_OTHER;
}

int docent_fstat(int file, struct docent_status *status) {
    struct stat found;
    if (fstat(file, &found) < 0) return -errno;
    fill(status, &found);
    return 0;
}

int docent_fstatat(int folder, const char *name, struct docent_status *status) {
    struct stat found;
    if (fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) < 0) return -errno;
    fill(status, &found);
    return 0;
}

int docent_fstatfs(int file, struct docent_file_system *file_system) {
    struct statfs found;
    if (fstatfs(file, &found) < 0) return -errno;
    file_system->type = (uint64_t)(unsigned int)found.f_type;
    file_system->block_size = (uint64_t)(found.f_frsize > 0 ? found.f_frsize : found.f_bsize);
    file_system->available_blocks = (uint64_t)found.f_bavail;
    file_system->blocks = (uint64_t)found.f_blocks;
    file_system->free_blocks = (uint64_t)found.f_bfree;
    file_system->is_read_only = (found.f_flags & ST_RDONLY) != 0;
    return 0;
}
