#define _GNU_SOURCE
#include "docent_listing.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// What the kernel writes (linux_dirent64); its header does not give it.
struct kernel_entry {
    uint64_t inode;
    int64_t offset;
    uint16_t length;
    uint8_t type;
    char name[];
};

ssize_t docent_getdents(int folder, void *buffer, size_t size) {
    long count;
    do { count = syscall(SYS_getdents64, folder, buffer, size); } while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : (ssize_t)count;
}

size_t docent_entry_at(const void *buffer, size_t filled, size_t offset, struct docent_entry *entry) {
    const size_t header = offsetof(struct kernel_entry, name);
    if (offset > filled || filled - offset <= header) return 0;
    const struct kernel_entry *found = (const void *)((const char *)buffer + offset);
    if (found->length <= header || found->length > filled - offset) return 0;
    entry->inode = found->inode;
    entry->name = found->name;
    entry->name_length = strnlen(found->name, found->length - header);
    switch (found->type) {
    case DT_REG: entry->type = DOCENT_ENTRY_FILE; break;
    case DT_DIR: entry->type = DOCENT_ENTRY_FOLDER; break;
    case DT_LNK: entry->type = DOCENT_ENTRY_SYMLINK; break;
    case DT_UNKNOWN: entry->type = DOCENT_ENTRY_UNKNOWN; break;
    default: entry->type = DOCENT_ENTRY_OTHER; break;
    }
    return offset + found->length;
}

int docent_rewind(int folder) {
    return lseek(folder, 0, SEEK_SET) < 0 ? -errno : 0;
}
