#define _GNU_SOURCE
#include "docent_copying.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

ssize_t docent_read(int file, void *buffer, size_t size) {
    ssize_t count;
    do { count = read(file, buffer, size); } while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : count;
}

ssize_t docent_pread(int file, void *buffer, size_t size, int64_t offset) {
    ssize_t count;
    do { count = pread(file, buffer, size, offset); } while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : count;
}

ssize_t docent_write_all(int file, const void *buffer, size_t size) {
    size_t done = 0;
    while (done < size) {
        ssize_t count = write(file, (const char *)buffer + done, size - done);
        if (count < 0) {
            if (errno == EINTR) continue;
            return -errno;
        }
        done += (size_t)count;
    }
    return (ssize_t)done;
}

ssize_t docent_pwrite_all(int file, const void *buffer, size_t size, int64_t offset) {
    size_t done = 0;
    while (done < size) {
        ssize_t count = pwrite(file, (const char *)buffer + done, size - done, offset + (int64_t)done);
        if (count < 0) {
            if (errno == EINTR) continue;
            return -errno;
        }
        done += (size_t)count;
    }
    return (ssize_t)done;
}

int docent_clone(int source, int target) {
    return ioctl(target, FICLONE, source) < 0 ? -errno : 0;
}

ssize_t docent_copy_file_range(int source, int64_t source_offset, int target, int64_t target_offset, size_t size) {
    off64_t from = source_offset, to = target_offset;
    ssize_t count;
    do { count = copy_file_range(source, &from, target, &to, size, 0); } while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : count;
}

int64_t docent_seek_hole(int file, int64_t offset) {
    off64_t place = lseek64(file, offset, SEEK_HOLE);
    return place < 0 ? -errno : place;
}

int docent_ftruncate(int file, int64_t size) {
    int result;
    do { result = ftruncate64(file, size); } while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : 0;
}

int docent_reserve(int file, int64_t size) {
    int result;
    do { result = fallocate64(file, FALLOC_FL_KEEP_SIZE, 0, size); } while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : 0;
}

int docent_fsync(int file) {
    int result;
    do { result = fsync(file); } while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : 0;
}

int docent_write_back(int file) {
    int result;
    unsigned flags = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
    do { result = sync_file_range(file, 0, 0, flags); } while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : 0;
}

int docent_fdatasync(int file) {
    int result;
    do { result = fdatasync(file); } while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : 0;
}

int docent_syncfs(int file) {
    return syncfs(file) < 0 ? -errno : 0;
}

int docent_start_writeback(int file, int64_t offset, int64_t size) {
    return sync_file_range(file, offset, size, SYNC_FILE_RANGE_WRITE) < 0 ? -errno : 0;
}
