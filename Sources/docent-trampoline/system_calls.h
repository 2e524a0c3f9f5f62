// Which system calls a provider may make: what Landlock does not govern.
#ifndef DOCENT_TRAMPOLINE_SYSTEM_CALLS_H
#define DOCENT_TRAMPOLINE_SYSTEM_CALLS_H

#include <stdbool.h>

struct system_calls {
    bool internet;    // TCP sockets that connect
    bool processes;   // fork and its like
    bool watching;    // inotify
    bool attributes;  // modes, owners, times and attributes of open files
    // Landlock is there and lets everybody empty files (before ABI 3): that takes a file that is open for writing, then.
    bool unseen_truncation;
};

// 0, or -1 with errno. What is refused fails with an error that programs know; nothing is killed for it.
//
// `*listener` is what notices.h needs, which closes when the program is executed; -1 where the kernel has none.
int system_calls_filter(const struct system_calls *allowed, int *listener);

#endif
