#define _GNU_SOURCE
#include "state.h"

#include <errno.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <time.h>

// Watching folders.

// All programs of a user share the system's few watchers. A host without one looks at everything by itself, and so goes another way:
// a run waits for one instead, so that it depends on its seed alone.
int inotify_init1(int flags) {
    const struct timespec pause = {0, 10000000};
    int watcher;
    for (int attempt = 0; attempt < 6000; attempt++) {
        watcher = (int)simulation_system_call(SYS_inotify_init1, flags, 0, 0, 0, 0, 0);
        if (!simulation_is_here || watcher >= 0 || errno != EMFILE) break;
        simulation_system_call(SYS_nanosleep, (long)&pause, 0, 0, 0, 0, 0);
        errno = EMFILE;
    }
    return watcher;
}
