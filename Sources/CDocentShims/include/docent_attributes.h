// Extended attributes and times of open files.
#ifndef DOCENT_ATTRIBUTES_H
#define DOCENT_ATTRIBUTES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

#define DOCENT_XATTR_CREATE 1
#define DOCENT_XATTR_REPLACE 2

int docent_fsetxattr(int file, const char *name, const void *value, size_t size, int flags);
/// With size 0: how many bytes the value has.
ssize_t docent_fgetxattr(int file, const char *name, void *_Nullable value, size_t size);
int docent_fremovexattr(int file, const char *name);
ssize_t docent_flistxattr(int file, char *_Nullable names, size_t size);

/// Sets the modification time and leaves the access time as it is.
int docent_set_modified(int file, int64_t seconds, uint32_t nanoseconds);
int docent_fchmod(int file, uint32_t mode);

#pragma clang assume_nonnull end

#endif
