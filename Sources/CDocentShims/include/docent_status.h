// What the system knows of a file or a file system, as plain structs.
#ifndef DOCENT_STATUS_H
#define DOCENT_STATUS_H

#include <stdint.h>

#pragma clang assume_nonnull begin

enum docent_file_type {
    DOCENT_TYPE_OTHER = 0,
    DOCENT_TYPE_FILE = 1,
    DOCENT_TYPE_FOLDER = 2,
    DOCENT_TYPE_SYMLINK = 3,
};

struct docent_status {
    uint64_t device;
    uint64_t inode;
    int64_t size;
    /// In units of 512 bytes.
    int64_t blocks;
    int64_t modified_seconds;
    int64_t changed_seconds;
    uint32_t modified_nanoseconds;
    uint32_t changed_nanoseconds;
    uint32_t links;
    uint32_t owner;
    /// The permission bits.
    uint32_t mode;
    int32_t type;
};

int docent_fstat(int file, struct docent_status *status);
/// Of a name in a folder; a symlink is not followed.
int docent_fstatat(int folder, const char *name, struct docent_status *status);

struct docent_file_system {
    /// The magic number of its type.
    uint64_t type;
    /// Of the blocks that are counted here, in bytes.
    uint64_t block_size;
    /// Blocks that this user may still use.
    uint64_t available_blocks;
    uint64_t blocks;
    /// With those that only root may use.
    uint64_t free_blocks;
    int32_t is_read_only;
};

int docent_fstatfs(int file, struct docent_file_system *file_system);

#pragma clang assume_nonnull end

#endif
