#define _GNU_SOURCE
#include "notices.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "own_threads.h"

bool notices_are_possible(void) {
    // A kernel with larger structures would write beyond ours.
    struct seccomp_notif_sizes sizes;
    return syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) == 0 &&
           sizes.seccomp_notif <= sizeof(struct seccomp_notif) &&
           sizes.seccomp_notif_resp <= sizeof(struct seccomp_notif_resp);
}

union control {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

int notices_send(int channel, int listener) {
    char byte = 0;
    struct iovec content = {.iov_base = &byte, .iov_len = 1};
    union control control = {.bytes = {0}};
    struct msghdr message = {
        .msg_iov = &content, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof listener);
    memcpy(CMSG_DATA(header), &listener, sizeof listener);
    return sendmsg(channel, &message, MSG_NOSIGNAL) == 1 ? 0 : -1;
}

int notices_receive(int channel) {
    char byte;
    struct iovec content = {.iov_base = &byte, .iov_len = 1};
    union control control;
    struct msghdr message = {
        .msg_iov = &content, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    if (recvmsg(channel, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) != 1) return -1;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header == NULL || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(sizeof(int))) return -1;
    int listener;
    memcpy(&listener, CMSG_DATA(header), sizeof listener);
    return listener;
}

void notices_answer(int listener, struct tasks *tasks) {
    struct seccomp_notif request;
    memset(&request, 0, sizeof request);  // the kernel insists
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &request) != 0) return;
    struct seccomp_notif_resp response = {.id = request.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    if (request.data.nr == SYS_clone) {
        if (!tasks_may_grow(tasks)) {
            response.flags = 0;
            response.error = -EAGAIN;  // as the kernel's own limit of processes does
        }
    } else if (own_threads_open(listener, &request)) {
        return;
    }
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}
