// Entries of a watched folder: what statx knows of them beyond fstat, and who may write them.
#ifndef DOCENT_ENTRIES_H
#define DOCENT_ENTRIES_H

#include <stdint.h>

#pragma clang assume_nonnull begin

struct docent_entry_status {
    uint64_t device;
    uint64_t inode;
    int64_t size;
    int64_t modified_seconds;
    int64_t changed_seconds;
    int64_t born_seconds;
    uint32_t modified_nanoseconds;
    uint32_t changed_nanoseconds;
    uint32_t born_nanoseconds;
    /// Not 0 when the file system records when a file was made.
    uint32_t has_birth;
    uint32_t links;
    uint32_t owner;
    uint32_t group;
    /// The permission bits.
    uint32_t mode;
    /// As in `enum docent_file_type`.
    int32_t type;
    /// Not 0 when another file system is mounted there.
    uint32_t is_mount_root;
};

/// Of a name in a folder; a symlink is not followed, an automount not triggered. With an empty name: of the
/// descriptor itself.
int docent_entry_status(int folder, const char *name, struct docent_entry_status *status);

/// 0 when this process may write the entry; -EACCES or -EROFS when not.
int docent_may_write(int folder, const char *name);
uint32_t docent_effective_user(void);

/// The clock that file systems stamp files with: advances in ticks of some milliseconds.
void docent_file_clock(int64_t *seconds, uint32_t *nanoseconds);
/// Waits, a few milliseconds or, where it knows whole seconds only, up to one, until a change would get a later stamp than
/// this one of a file: two changes within one tick look like one, where the kernel does not tell apart what somebody has
/// looked at in between (as of 6.13, and not on every file system). What is read after that and has this stamp, is what it
/// will stand for.
void docent_wait_past(int64_t seconds, uint32_t nanoseconds);
void docent_pause(uint32_t milliseconds);

/// Gives memory that was freed back to the system.
void docent_trim_memory(void);

/// The first data at or after `offset`; -ENXIO when only a hole is left.
int64_t docent_seek_data(int file, int64_t offset);
/// Gives an open file an owner. -EPERM for those who may not.
int docent_fchown(int file, uint32_t owner, uint32_t group);

#pragma clang assume_nonnull end

#endif
