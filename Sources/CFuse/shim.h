#ifndef CFUSE_SHIM_H
#define CFUSE_SHIM_H
// The newest interface that the libfuse of Debian 12 has.
#define FUSE_USE_VERSION 314
#include <errno.h>
#include <fuse_lowlevel.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// What kernels from 6.9 on have and the headers of Debian 12 do not: include/uapi/linux/fuse.h, and
// Documentation/filesystems/fuse/fuse-passthrough.rst.

/// A file that the kernel is to read and write by itself (struct fuse_backing_map).
struct docent_fuse_backing_map {
    int32_t file;
    uint32_t flags;
    uint64_t padding;
};

/// What an open is answered with (struct fuse_open_out).
struct docent_fuse_open_answer {
    uint64_t handle;
    uint32_t flags;
    int32_t backing;
};

enum docent_fuse_open_flags {
    DOCENT_FUSE_OPEN_DIRECT = 1 << 0,
    DOCENT_FUSE_OPEN_KEEP = 1 << 1,
    DOCENT_FUSE_OPEN_PASSTHROUGH = 1 << 7,
};

/// The kernel's name for a file, above 0; or the negative error number.
static inline int docent_fuse_open_backing(int device, int file) {
    struct docent_fuse_backing_map map = {file, 0, 0};
    int name = ioctl(device, _IOW(229, 1, struct docent_fuse_backing_map), &map);
    return name < 0 ? -errno : name;
}

/// The kernel forgets the name; what is open with it stays so.
static inline void docent_fuse_close_backing(int device, int32_t name) {
    uint32_t argument = (uint32_t)name;
    ioctl(device, _IOW(229, 2, uint32_t), &argument);
}

/// splice(2), as libfuse wants to call it.
static inline ssize_t docent_fuse_splice(
    int from, off_t *from_offset, int to, off_t *to_offset, size_t count, unsigned flags, void *data) {
    (void)data;
    return syscall(SYS_splice, from, from_offset, to, to_offset, count, flags);
}
#endif
