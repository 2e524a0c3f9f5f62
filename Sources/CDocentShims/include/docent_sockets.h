#ifndef DOCENT_SOCKETS_H
#define DOCENT_SOCKETS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

// Unix sockets, stream sockets unless it says so. Every function returns a negative errno on failure; descriptors are close-on-exec.

/// A listening socket at a path that must not exist; mode 0600.
int docent_unix_listen(const char *path, int backlog);

/// A socket connected to a path. Does not wait. EAGAIN: so many wait to be accepted that there is no room for another now.
int docent_unix_connect(const char *path);

/// Sends one message to a datagram socket: at a path, or, where it begins with `@`, by a name that is none.
int docent_unix_tell(const char *path, const char *message);

/// Waits for a connection.
int docent_unix_accept(int listener);

/// Who is at the other end, as the kernel recorded it when the connection was made.
int docent_peer_credentials(int socket, pid_t *pid, uid_t *uid, gid_t *gid);

/// A descriptor (close-on-exec) of that process; `pid` is its number. Kernels before 6.5 cannot tell who it was when
/// that has ended since: then it is whoever has the number now.
int docent_peer_process(int socket, pid_t pid);

/// A descriptor (O_PATH) of the file that a process runs.
int docent_open_program(pid_t pid);

/// As send(2) without SIGPIPE: with the first of the bytes the other side gets a copy of `passed`. -1 with errno set.
ssize_t docent_send_passing(int socket, const void *_Nullable bytes, size_t count, int passed);

/// As read(2). `passed` is a descriptor (close-on-exec) that came with the bytes, or -1; of several all but the first are
/// closed.
ssize_t docent_receive(int socket, void *_Nullable bytes, size_t count, int *passed);

#pragma clang assume_nonnull end

#endif
