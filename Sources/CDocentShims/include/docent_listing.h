// Reading folders.
#ifndef DOCENT_LISTING_H
#define DOCENT_LISTING_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

enum docent_entry_type {
    DOCENT_ENTRY_UNKNOWN = 0,
    DOCENT_ENTRY_FILE = 1,
    DOCENT_ENTRY_FOLDER = 2,
    DOCENT_ENTRY_SYMLINK = 3,
    DOCENT_ENTRY_OTHER = 4,
};

struct docent_entry {
    uint64_t inode;
    int32_t type;
    /// Points into the buffer; ends with a NUL.
    const char *_Nullable name;
    size_t name_length;
};

/// Fills the buffer (8-byte aligned, 4 KiB or more) with the folder's next entries. Returns how many bytes it holds,
/// 0 at the end, or the negative error number.
ssize_t docent_getdents(int folder, void *buffer, size_t size);

/// Reads the entry at an offset of a filled buffer, and returns the offset of the next one; 0 when the buffer is not
/// well formed there.
size_t docent_entry_at(const void *buffer, size_t filled, size_t offset, struct docent_entry *entry);

/// Begins the folder anew.
int docent_rewind(int folder);

#pragma clang assume_nonnull end

#endif
