// Names and places: opening beneath a folder, renaming, linking, removing.
#ifndef DOCENT_PATHS_H
#define DOCENT_PATHS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

/// Relative to the working folder instead of a descriptor.
#define DOCENT_AT_FDCWD (-100)

#define DOCENT_RESOLVE_NO_XDEV 0x01
#define DOCENT_RESOLVE_NO_MAGICLINKS 0x02
#define DOCENT_RESOLVE_NO_SYMLINKS 0x04
#define DOCENT_RESOLVE_BENEATH 0x08

/// The same flag as O_PATH: a place to look names up from, which is neither read nor told to those who watch it.
#define DOCENT_PLACE_ONLY 0x200000

#define DOCENT_RENAME_NOREPLACE 1
#define DOCENT_RENAME_EXCHANGE 2

/// openat2(2). `flags` are those of open; close-on-exec is always set. Where there is no such call, as in the sandbox of
/// providers, ``docent_open_stepwise``.
int docent_openat2(int folder, const char *path, uint64_t flags, uint32_t mode, uint64_t resolve);
/// The same, folder after folder by openat(2). It knows `resolve` 0, and what neither follows links nor leaves the folder,
/// with or without mounts; `..` is refused there (-EXDEV), also where it would lead to something beneath.
int docent_open_stepwise(int folder, const char *path, uint64_t flags, uint32_t mode, uint64_t resolve);
int docent_close(int file);

int docent_mkdirat(int folder, const char *name, uint32_t mode);
/// Removes a file, or an empty folder when `is_folder` is not 0. Follows no symlink.
int docent_unlinkat(int folder, const char *name, int is_folder);
/// Removes a file, or a folder with all that is in it: whatever the names, the modes and the depth that somebody gave it.
/// Follows no symlink, and holds few descriptors. What is not there counts as removed.
int docent_remove_tree(int folder, const char *name);
int docent_renameat2(
    int from_folder, const char *from_name, int to_folder, const char *to_name, uint32_t flags);
int docent_linkat(int from_folder, const char *from_name, int to_folder, const char *to_name);
/// Gives an open file a (further) name.
int docent_link_open_file(int file, int to_folder, const char *to_name);
int docent_symlinkat(const char *target, int folder, const char *name);
ssize_t docent_readlinkat(int folder, const char *name, char *buffer, size_t size);

/// A new descriptor of the same open file, close-on-exec.
int docent_duplicate(int file);

#pragma clang assume_nonnull end

#endif
