// Locks and leases.
#ifndef DOCENT_LOCKS_H
#define DOCENT_LOCKS_H

/// An exclusive flock, without waiting: -EWOULDBLOCK when another open file has it.
int docent_lock(int file);
int docent_unlock(int file);

enum docent_lease_kind {
    DOCENT_LEASE_NONE = 0,
    /// Nobody has the file open for writing, or a writable mapping of it.
    DOCENT_LEASE_READ = 1,
    /// Nobody else has the file open at all, nor a mapping of it.
    DOCENT_LEASE_WRITE = 2,
};

/// Takes a lease, or gives it up. -EAGAIN when somebody has the file open in a way that the lease excludes. Whoever
/// opens the file while the lease is held waits until it is given up; the signal that the kernel then sends is
/// SIGURG, which does nothing by default (the usual SIGIO would end the process).
int docent_set_lease(int file, int kind);

/// The lease that is held; less than was taken when somebody waits for it.
int docent_get_lease(int file);

#endif
