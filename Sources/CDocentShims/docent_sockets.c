#define _GNU_SOURCE
#include "docent_sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static int docent_unix_address(const char *path, struct sockaddr_un *address, socklen_t *length) {
    size_t size = strlen(path);
    if (size == 0 || size >= sizeof(address->sun_path)) return -ENAMETOOLONG;
    memset(address, 0, sizeof(*address));
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path, path, size + 1);
    *length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size + 1);
    return 0;
}

static int docent_closing(int socket, int error) {
    close(socket);
    return -error;
}

int docent_unix_listen(const char *path, int backlog) {
    struct sockaddr_un address;
    socklen_t length;
    int result = docent_unix_address(path, &address, &length);
    if (result < 0) return result;
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0) return -errno;
    // On Linux the mode of the socket's file comes from the descriptor's mode and the umask.
    if (fchmod(listener, 0600) < 0) return docent_closing(listener, errno);
    if (bind(listener, (struct sockaddr *)&address, length) < 0) return docent_closing(listener, errno);
    if (listen(listener, backlog) < 0) return docent_closing(listener, errno);
    return listener;
}

int docent_unix_connect(const char *path) {
    struct sockaddr_un address;
    socklen_t length;
    int result = docent_unix_address(path, &address, &length);
    if (result < 0) return result;
    // Where so many wait already that there is no room for another, as with a listener that is stopped, it would wait for good,
    // and the caller's thread may be one that others need.
    int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (connection < 0) return -errno;
    while (connect(connection, (struct sockaddr *)&address, length) < 0) {
        if (errno != EINTR) return docent_closing(connection, errno);
    }
    int flags = fcntl(connection, F_GETFL);
    if (flags < 0 || fcntl(connection, F_SETFL, flags & ~O_NONBLOCK) < 0) return docent_closing(connection, errno);
    return connection;
}

int docent_unix_tell(const char *path, const char *message) {
    struct sockaddr_un address;
    socklen_t length;
    int result = docent_unix_address(path, &address, &length);
    if (result < 0) return result;
    // A name that is no path begins with a NUL, and does not end with one.
    if (path[0] == '@') {
        address.sun_path[0] = '\0';
        length -= 1;
    }
    int sender = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (sender < 0) return -errno;
    ssize_t sent = sendto(sender, message, strlen(message), MSG_NOSIGNAL, (struct sockaddr *)&address, length);
    return docent_closing(sender, sent < 0 ? errno : 0);
}

int docent_unix_accept(int listener) {
    for (;;) {
        int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (connection >= 0) return connection;
        if (errno != EINTR && errno != ECONNABORTED) return -errno;
    }
}

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

int docent_peer_process(int socket, pid_t pid) {
    int process = -1;
    socklen_t length = sizeof(process);
    if (getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &process, &length) == 0) return process;
    if (errno != ENOPROTOOPT && errno != EINVAL) return -errno;
    process = (int)syscall(SYS_pidfd_open, pid, 0);
    return process < 0 ? -errno : process;
}

int docent_open_program(pid_t pid) {
    char link[32];
    snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
    int program = open(link, O_PATH | O_CLOEXEC);
    return program < 0 ? -errno : program;
}

int docent_peer_credentials(int socket, pid_t *pid, uid_t *uid, gid_t *gid) {
    struct ucred credentials;
    socklen_t length = sizeof(credentials);
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) < 0) return -errno;
    *pid = credentials.pid;
    *uid = credentials.uid;
    *gid = credentials.gid;
    return 0;
}

ssize_t docent_send_passing(int socket, const void *bytes, size_t count, int passed) {
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    memset(&control, 0, sizeof(control));
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof(control.room)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &passed, sizeof(int));
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

ssize_t docent_receive(int socket, void *bytes, size_t count, int *passed) {
    // Room for more than one, so that none is lost unclosed.
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(16 * sizeof(int))];
    } control;
    struct iovec part = {.iov_base = bytes, .iov_len = count};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof(control.room)};
    *passed = -1;
    ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (got < 0) return got;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        size_t number = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t index = 0; index < number; index++) {
            int descriptor;
            memcpy(&descriptor, CMSG_DATA(header) + index * sizeof(int), sizeof(int));
            if (*passed < 0) {
                *passed = descriptor;
            } else {
                close(descriptor);
            }
        }
    }
    return got;
}
