// Bytes: reading, writing, copying within the kernel, flushing.
#ifndef DOCENT_COPYING_H
#define DOCENT_COPYING_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

ssize_t docent_read(int file, void *buffer, size_t size);
ssize_t docent_pread(int file, void *buffer, size_t size, int64_t offset);
/// Writes all of it; a short write is continued. Returns `size` or the negative error number.
ssize_t docent_write_all(int file, const void *buffer, size_t size);
ssize_t docent_pwrite_all(int file, const void *buffer, size_t size, int64_t offset);

/// Shares the source's blocks with the target (FICLONE). -EOPNOTSUPP where the file system cannot.
int docent_clone(int source, int target);
/// Copies from and to the given offsets, at most `size` bytes; 0 at the end of the source.
ssize_t docent_copy_file_range(int source, int64_t source_offset, int target, int64_t target_offset, size_t size);

/// Where the first hole at or after `offset` begins; the file's end when there is none. -EINVAL where the file
/// system cannot tell.
int64_t docent_seek_hole(int file, int64_t offset);

int docent_ftruncate(int file, int64_t size);
/// Gives a file room on the disk up to `size`, also beyond its end, which stays where it is. -EOPNOTSUPP where the file
/// system cannot.
int docent_reserve(int file, int64_t size);
int docent_fsync(int file);

// Writes a file's changed pages to its disk, without the flush of a disk's own memory. A store to a page of it that a
// process has mapped changes the file's time only if the page was unchanged since it was last written back.
int docent_write_back(int file);
int docent_fdatasync(int file);
int docent_syncfs(int file);
/// Starts writing dirty pages of a range to disk, without waiting for them.
int docent_start_writeback(int file, int64_t offset, int64_t size);

#pragma clang assume_nonnull end

#endif
