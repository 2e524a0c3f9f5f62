#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "attempts.h"

static struct sockaddr_in loopback(const char *port) {
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)), .sin_addr = {htonl(INADDR_LOOPBACK)}};
}

static long connect_to(int socket, const char *port) {
    struct sockaddr_in address = loopback(port);
    return socket < 0 ? -1 : connect(socket, (struct sockaddr *)&address, sizeof address);
}

static long connect_tcp(char **a) { return connect_to(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), a[0]); }
static long connect_mptcp(char **a) { return connect_to(socket(AF_INET, SOCK_STREAM, 262), a[0]); }
static long connect_udp(char **a) { return connect_to(socket(AF_INET, SOCK_DGRAM, 0), a[0]); }

// Connects in the same call that sends.
static long connect_while_sending(char **a) {
    struct sockaddr_in address = loopback(a[0]);
    int made = socket(AF_INET, SOCK_STREAM, 0);
    return made < 0 ? -1 : sendto(made, "x", 1, MSG_FASTOPEN, (struct sockaddr *)&address, sizeof address);
}

// The same by another call.
static long connect_by_message(char **a) {
    struct sockaddr_in address = loopback(a[0]);
    struct iovec bytes = {"x", 1};
    struct msghdr message = {
        .msg_name = &address, .msg_namelen = sizeof address, .msg_iov = &bytes, .msg_iovlen = 1};
    int made = socket(AF_INET, SOCK_STREAM, 0);
    return made < 0 ? -1 : sendmsg(made, &message, MSG_FASTOPEN);
}

static long serve(char **a) {
    struct sockaddr_in address = loopback(a[0]);
    int made = socket(AF_INET, SOCK_STREAM, 0);
    if (made < 0 || bind(made, (struct sockaddr *)&address, sizeof address) != 0) return -1;
    return listen(made, 1);
}

// The kernel chooses a port for one that was not bound.
static long listen_unbound(char **a) {
    (void)a;
    int made = socket(AF_INET, SOCK_STREAM, 0);
    return made < 0 ? -1 : listen(made, 1);
}

static long make(int family, int type, int protocol) { return socket(family, type, protocol); }
static long raw(char **a) { return (void)a, make(AF_INET, SOCK_RAW, IPPROTO_ICMP); }
static long packet(char **a) { return (void)a, make(AF_PACKET, SOCK_RAW, 0); }
static long netlink(char **a) { return (void)a, make(AF_NETLINK, SOCK_RAW, 0); }
static long vsock(char **a) { return (void)a, make(40 /* AF_VSOCK */, SOCK_STREAM, 0); }
static long crypto(char **a) { return (void)a, make(38 /* AF_ALG */, SOCK_SEQPACKET, 0); }
static long tcp6(char **a) { return (void)a, make(AF_INET6, SOCK_STREAM, 0); }

static socklen_t unix_address(struct sockaddr_un *address, const char *name) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    size_t length = strlen(name);
    if (length >= sizeof address->sun_path) length = sizeof address->sun_path - 1;
    memcpy(address->sun_path, name, length);
    // "@name" stands for an abstract one.
    if (name[0] == '@') address->sun_path[0] = 0;
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + (name[0] == '@' ? 0 : 1));
}

static long connect_unix(char **a) {
    struct sockaddr_un address;
    socklen_t length = unix_address(&address, a[0]);
    int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return made < 0 ? -1 : connect(made, (struct sockaddr *)&address, length);
}

// One of a pair of datagram sockets, turned to somebody else's address.
static long send_from_pair(char **a) {
    struct sockaddr_un address;
    socklen_t length = unix_address(&address, a[0]);
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) != 0) return -1;
    return sendto(pair[0], "x", 1, 0, (struct sockaddr *)&address, length);
}

static long stream_pair(char **a) {
    (void)a;
    int pair[2];
    char byte;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return -1;
    return write(pair[0], "x", 1) == 1 ? read(pair[1], &byte, 1) : -1;
}

const struct attempt socket_attempts[] = {
    {"connect-tcp", 1, connect_tcp},
    {"connect-mptcp", 1, connect_mptcp},
    {"connect-udp", 1, connect_udp},
    {"connect-while-sending", 1, connect_while_sending},
    {"connect-by-message", 1, connect_by_message},
    {"serve", 1, serve},
    {"listen-unbound", 0, listen_unbound},
    {"raw", 0, raw},
    {"packet", 0, packet},
    {"netlink", 0, netlink},
    {"vsock", 0, vsock},
    {"crypto", 0, crypto},
    {"tcp6", 0, tcp6},
    {"connect-unix", 1, connect_unix},
    {"send-from-pair", 1, send_from_pair},
    {"stream-pair", 0, stream_pair},
    {0},
};
