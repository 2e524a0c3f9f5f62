#define _GNU_SOURCE
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "notices.h"
#include "privileges.h"
#include "system_calls.h"

// The kernel's interface as of Landlock ABI 7; the headers of Debian 12 know ABI 2.
enum { SYSTEM_CREATE_RULESET = 444, SYSTEM_ADD_RULE = 445, SYSTEM_RESTRICT_SELF = 446, SYSTEM_OPENAT2 = 437 };
enum { FIRST_WITH_TRUNCATION = 3 };
enum { CREATE_RULESET_VERSION = 1, RULE_PATH_BENEATH = 1, RULE_NET_PORT = 2 };

enum {
    FILE_EXECUTE = 1 << 0,
    FILE_WRITE = 1 << 1,
    FILE_READ = 1 << 2,
    FOLDER_READ = 1 << 3,
    FOLDER_REMOVE_FOLDER = 1 << 4,
    FOLDER_REMOVE_FILE = 1 << 5,
    FOLDER_MAKE_FOLDER = 1 << 7,
    FOLDER_MAKE_FILE = 1 << 8,
    FOLDER_MAKE_LINK = 1 << 12,
    FOLDER_REFER = 1 << 13,  // renames and hard links between folders
    FILE_TRUNCATE = 1 << 14,
    FILE_RIGHTS = FILE_EXECUTE | FILE_WRITE | FILE_READ | FILE_TRUNCATE,

    NET_BIND_TCP = 1 << 0,
    NET_CONNECT_TCP = 1 << 1,

    SCOPE_ABSTRACT_SOCKETS = 1 << 0,
    SCOPE_SIGNALS = 1 << 1,
};

struct ruleset {
    uint64_t handled_files;
    uint64_t handled_net;
    uint64_t scoped;
};

struct path_beneath {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

struct net_port {
    uint64_t allowed;
    uint64_t port;
};

struct open_how_v1 {
    uint64_t flags, mode, resolve;
};

enum { RESOLVE_NEITHER_LINKS = 0x02 | 0x04 };  // RESOLVE_NO_MAGICLINKS, RESOLVE_NO_SYMLINKS

static const uint64_t rights_of_grants[] = {
    [SANDBOX_READ] = FILE_READ | FOLDER_READ,
    [SANDBOX_EXECUTE] = FILE_READ | FOLDER_READ | FILE_EXECUTE,
    [SANDBOX_FILL] = FILE_READ | FOLDER_READ | FILE_WRITE | FILE_TRUNCATE,
    [SANDBOX_WRITE] = FILE_READ | FOLDER_READ | FILE_WRITE | FILE_TRUNCATE | FOLDER_REMOVE_FOLDER | FOLDER_REMOVE_FILE |
                      FOLDER_MAKE_FOLDER | FOLDER_MAKE_FILE | FOLDER_MAKE_LINK | FOLDER_REFER,
};

// What the running kernel knows: it refuses rights that it does not.
static struct ruleset handled_by(long abi) {
    static const uint64_t last_file_right[] = {0, 12, 13, 14, 14};
    uint64_t last = abi >= 5 ? 15 : last_file_right[abi];
    return (struct ruleset){
        .handled_files = (UINT64_C(2) << last) - 1,
        .handled_net = abi >= 4 ? NET_BIND_TCP | NET_CONNECT_TCP : 0,
        .scoped = abi >= 6 ? SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS : 0,
    };
}

// A path was resolved by the host; one that has a link in it now was changed by somebody since.
static int open_place(const char *path) {
    struct open_how_v1 how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NEITHER_LINKS};
    return (int)syscall(SYSTEM_OPENAT2, AT_FDCWD, path, &how, sizeof how);
}

static int add_path(int ruleset, const struct ruleset *handled, const struct sandbox_path *grant) {
    int place = open_place(grant->path);
    struct stat status;
    if (place < 0 || fstat(place, &status) != 0) {
        fprintf(stderr, "docent-trampoline: access to %s cannot be granted: %s\n", grant->path, strerror(errno));
        if (place >= 0) close(place);
        return 0;
    }
    uint64_t rights = rights_of_grants[grant->grant] & handled->handled_files;
    if (!S_ISDIR(status.st_mode)) rights &= FILE_RIGHTS;
    struct path_beneath rule = {.allowed = rights, .parent = place};
    long result = syscall(SYSTEM_ADD_RULE, ruleset, RULE_PATH_BENEATH, &rule, 0);
    close(place);
    return (int)result;
}

const char *const sandbox_own_files[SANDBOX_OWN_FILES] = {"cmdline", "maps"};

// A Swift program looks for its arguments on its stack, which it finds by the process's maps; others read the line. The
// process stays the same when it becomes the program, so what is granted is the program's own, and no other process's.
static int add_own_arguments(int ruleset, const struct ruleset *handled) {
    for (unsigned index = 0; index < SANDBOX_OWN_FILES; index++) {
        char path[32];
        snprintf(path, sizeof path, "/proc/%d/%s", (int)getpid(), sandbox_own_files[index]);
        if (add_path(ruleset, handled, &(struct sandbox_path){.path = path, .grant = SANDBOX_READ}) != 0) return -1;
    }
    return 0;
}

static int restrict_by_landlock(const struct sandbox *sandbox, long abi, const char **what) {
    *what = "Landlock";
    if (abi < 1) return sandbox->may_lack_landlock ? 0 : -1;
    struct ruleset handled = handled_by(abi);
    int ruleset = (int)syscall(SYSTEM_CREATE_RULESET, &handled, sizeof handled, 0);
    if (ruleset < 0) return -1;
    for (unsigned index = 0; index < sandbox->path_count; index++) {
        *what = sandbox->paths[index].path;
        if (add_path(ruleset, &handled, &sandbox->paths[index]) != 0) return -1;
    }
    *what = "Landlock for the arguments";
    if (add_own_arguments(ruleset, &handled) != 0) return -1;
    *what = "Landlock for TCP";
    for (unsigned index = 0; handled.handled_net && index < sandbox->port_count; index++) {
        struct net_port rule = {.allowed = NET_CONNECT_TCP, .port = sandbox->ports[index]};
        if (syscall(SYSTEM_ADD_RULE, ruleset, RULE_NET_PORT, &rule, 0) != 0) return -1;
    }
    *what = "Landlock's restriction";
    if (syscall(SYSTEM_RESTRICT_SELF, ruleset, 0) != 0) return -1;
    close(ruleset);
    return 0;
}

int sandbox_enter(const struct sandbox *sandbox, int channel, bool *counts_tasks, const char **what) {
    *what = "the end of all capabilities";
    if (privileges_drop() != 0) return -1;
    long abi = syscall(SYSTEM_CREATE_RULESET, NULL, (size_t)0, CREATE_RULESET_VERSION);
    if (restrict_by_landlock(sandbox, abi, what) != 0) return -1;
    *what = "the filter of system calls";
    const struct system_calls allowed = {
        .internet = sandbox->port_count > 0,
        .processes = sandbox->processes > 0,
        .watching = sandbox->may_watch,
        .attributes = sandbox->may_change_attributes,
        .unseen_truncation = abi >= 1 && abi < FIRST_WITH_TRUNCATION,
    };
    int listener;
    if (system_calls_filter(&allowed, &listener) != 0) return -1;
    *what = "the shepherd's part of the filter";
    *counts_tasks = listener >= 0;
    return listener < 0 ? 0 : notices_send(channel, listener);
}
