#define _GNU_SOURCE
#include "docent_locks.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>

int docent_lock(int file) {
    int result;
    do { result = flock(file, LOCK_EX | LOCK_NB); } while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : 0;
}

int docent_unlock(int file) {
    return flock(file, LOCK_UN) < 0 ? -errno : 0;
}

int docent_set_lease(int file, int kind) {
    int type = kind == DOCENT_LEASE_WRITE ? F_WRLCK : kind == DOCENT_LEASE_READ ? F_RDLCK : F_UNLCK;
    if (type != F_UNLCK && fcntl(file, F_SETSIG, SIGURG) < 0) return -errno;
    return fcntl(file, F_SETLEASE, type) < 0 ? -errno : 0;
}

int docent_get_lease(int file) {
    int type = fcntl(file, F_GETLEASE);
    if (type < 0) return -errno;
    return type == F_WRLCK ? DOCENT_LEASE_WRITE : type == F_RDLCK ? DOCENT_LEASE_READ : DOCENT_LEASE_NONE;
}
