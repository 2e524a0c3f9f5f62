// What a provider may reach. Applied right before the program is executed; holds for it and for all that it starts, and
// cannot be taken back.
#ifndef DOCENT_TRAMPOLINE_SANDBOX_H
#define DOCENT_TRAMPOLINE_SANDBOX_H

#include <stdbool.h>

enum { SANDBOX_PATHS_MAX = 512, SANDBOX_PORTS_MAX = 64, SANDBOX_OWN_FILES = 2 };

enum sandbox_grant {
    SANDBOX_READ,
    SANDBOX_EXECUTE,  // and read
    SANDBOX_FILL,     // read, and change contents; nothing is made, removed or renamed
    SANDBOX_WRITE,    // all of it but executing, and but devices, pipes and sockets
};

struct sandbox_path {
    // Absolute, without symbolic links.
    const char *path;
    enum sandbox_grant grant;
};

struct sandbox {
    struct sandbox_path paths[SANDBOX_PATHS_MAX];
    unsigned path_count;
    // Where TCP connections may go; without any there are no internet sockets at all.
    unsigned short ports[SANDBOX_PORTS_MAX];
    unsigned port_count;
    // 0: it cannot start other processes.
    unsigned processes;
    bool may_watch;
    bool may_change_attributes;
    bool may_lack_landlock;
};

// The names, in a process's folder in /proc, of what each confined program may read of itself.
extern const char *const sandbox_own_files[SANDBOX_OWN_FILES];

// 0, or -1 with errno and with `*what` saying what failed. A path that is not there is left out, and said so on
// standard error. `channel` leads to the shepherd. `*counts_tasks` says whether that counts threads and processes from now
// on.
int sandbox_enter(const struct sandbox *sandbox, int channel, bool *counts_tasks, const char **what);

#endif
