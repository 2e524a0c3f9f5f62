#ifndef DOCENT_SECRET_SERVICE_H
#define DOCENT_SECRET_SERVICE_H

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// The longest text that says why the service did not do what it was asked.
enum { docent_secret_service_reason = 256 };

/// What the service was asked, and how it went.
struct docent_secret_call {
    /// Of the bus; the user's session bus when it is NULL.
    const char *_Nullable address;
    /// How long all of it may take.
    uint64_t microseconds;
    /// Says whose secrets they are.
    const char *_Nullable owner;
    /// In words; never a secret.
    char reason[docent_secret_service_reason];
};

/// Whether the service is there, and its default collection can be used without asking anybody.
///
/// Returns 0, -EACCES when it is locked, -ENOENT when there is no bus, no service or no collection that outlasts the session,
/// or another -errno.
int docent_secret_service_state(struct docent_secret_call *call);

/// Keeps a secret in the place of the one that had the name before. Asks nobody: -EACCES when the collection is locked.
int docent_secret_service_store(
    struct docent_secret_call *call, const char *name, const char *label, const void *_Nullable secret, size_t count);

/// Returns how many bytes the secret has, of which no more than `room` are written; -ENOENT when nothing is kept;
/// -EACCES when it is locked.
int64_t docent_secret_service_find(struct docent_secret_call *call, const char *name, void *_Nullable secret, size_t room);

/// Returns 0 also when nothing was kept.
int docent_secret_service_remove(struct docent_secret_call *call, const char *name);

#pragma clang assume_nonnull end

#endif
