#define _GNU_SOURCE
#include "docent_polling.h"

#include <errno.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

int docent_poller_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

int docent_bell_create(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

// Neither can fail in a way that matters: a full counter has rung, an empty one is silent.
void docent_bell_ring(int bell) {
    uint64_t one = 1;
    if (write(bell, &one, sizeof one) < 0) return;
}

void docent_bell_silence(int bell) {
    uint64_t value;
    if (read(bell, &value, sizeof value) < 0) return;
}

static int control(int poller, int operation, int descriptor, uint32_t interest, uint64_t key) {
    struct epoll_event event = {0};
    if (interest & DOCENT_READABLE) event.events |= EPOLLIN;
    if (interest & DOCENT_WRITABLE) event.events |= EPOLLOUT;
    event.data.u64 = key;
    return epoll_ctl(poller, operation, descriptor, &event) == 0 ? 0 : errno;
}

int docent_poller_add(int poller, int descriptor, uint32_t interest, uint64_t key) {
    return control(poller, EPOLL_CTL_ADD, descriptor, interest, key);
}

int docent_poller_change(int poller, int descriptor, uint32_t interest, uint64_t key) {
    return control(poller, EPOLL_CTL_MOD, descriptor, interest, key);
}

int docent_poller_remove(int poller, int descriptor) {
    return epoll_ctl(poller, EPOLL_CTL_DEL, descriptor, 0) == 0 ? 0 : errno;
}

int docent_poller_wait(int poller, struct docent_readiness *ready, int capacity, int timeout) {
    struct epoll_event events[64];
    int count = epoll_wait(poller, events, capacity < 64 ? capacity : 64, timeout);
    for (int i = 0; i < count; i++) {
        uint32_t flags = 0;
        if (events[i].events & (EPOLLIN | EPOLLRDHUP)) flags |= DOCENT_READABLE;
        if (events[i].events & EPOLLOUT) flags |= DOCENT_WRITABLE;
        if (events[i].events & (EPOLLHUP | EPOLLERR)) flags |= DOCENT_HUNG_UP;
        ready[i].key = events[i].data.u64;
        ready[i].flags = flags;
    }
    return count < 0 ? 0 : count;
}

void docent_thread_name(const char *name) { pthread_setname_np(pthread_self(), name); }
