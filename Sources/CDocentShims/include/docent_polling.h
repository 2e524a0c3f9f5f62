#ifndef DOCENT_POLLING_H
#define DOCENT_POLLING_H

#include <stdint.h>

// epoll and eventfd, which the Glibc module does not have. All descriptors are close-on-exec.

enum {
    DOCENT_READABLE = 1,
    DOCENT_WRITABLE = 2,
    DOCENT_HUNG_UP = 4,
};

struct docent_readiness {
    uint64_t key;
    uint32_t flags;
};

// Each returns a descriptor, or -1 with errno set.
int docent_poller_create(void);
int docent_bell_create(void);

void docent_bell_ring(int bell);
void docent_bell_silence(int bell);

// Each returns 0 or an error number.
int docent_poller_add(int poller, int descriptor, uint32_t interest, uint64_t key);
int docent_poller_change(int poller, int descriptor, uint32_t interest, uint64_t key);
int docent_poller_remove(int poller, int descriptor);

// Waits for at most `timeout` milliseconds, -1 for ever. Returns how many entries were filled in; 0 also after a signal.
int docent_poller_wait(int poller, struct docent_readiness *_Nonnull ready, int capacity, int timeout);

// Names the calling thread; the kernel takes 15 bytes.
void docent_thread_name(const char *_Nonnull name);

#endif
