#include "options.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

const char options_usage[] =
    "usage: docent-trampoline PARENT PROGRAM [ARGUMENT ...]\n"
    "       docent-trampoline PARENT [OPTION ...] -- PROGRAM [ARGUMENT ...]\n"
    "\n"
    "  --confine              nothing but what the options below grant\n"
    "  --without-landlock     also where the kernel has no Landlock: what else there is holds\n"
    "  --read PATH            read a file, or all that is in a folder\n"
    "  --execute PATH         the same, and execute\n"
    "  --fill PATH            read, and change the contents of files that are there\n"
    "  --write PATH           read, change, make and remove\n"
    "  --connect-tcp PORT     open TCP connections to a port\n"
    "  --watch                be told of changes to files (inotify)\n"
    "  --change-attributes    change modes, times and attributes of open files\n"
    "  --processes COUNT      start other processes\n"
    "  --memory BYTES         data that a process may hold\n"
    "  --open-files COUNT     descriptors that a process may hold\n"
    "\n"
    "docentd starts providers through it; it is of no use by hand.\n";

// A whole number in decimal digits, from `least` to `most`.
static bool parse_number(const char *text, unsigned long long least, unsigned long long most,
                         unsigned long long *number) {
    if (text == NULL || *text < '0' || *text > '9') return false;
    char *end = NULL;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return errno == 0 && *end == 0 && *number >= least && *number <= most;
}

static bool take_path(struct sandbox *sandbox, enum sandbox_grant grant, const char *path) {
    if (path == NULL || *path != '/' || sandbox->path_count == SANDBOX_PATHS_MAX) return false;
    sandbox->paths[sandbox->path_count++] = (struct sandbox_path){.path = path, .grant = grant};
    return true;
}

// What takes a value.
static bool take_value(struct options *options, const char *name, const char *value) {
    struct sandbox *sandbox = &options->sandbox;
    unsigned long long number = 0;
    if (strcmp(name, "--read") == 0) return take_path(sandbox, SANDBOX_READ, value);
    if (strcmp(name, "--execute") == 0) return take_path(sandbox, SANDBOX_EXECUTE, value);
    if (strcmp(name, "--fill") == 0) return take_path(sandbox, SANDBOX_FILL, value);
    if (strcmp(name, "--write") == 0) return take_path(sandbox, SANDBOX_WRITE, value);
    if (strcmp(name, "--connect-tcp") == 0) {
        if (!parse_number(value, 1, 65535, &number) || sandbox->port_count == SANDBOX_PORTS_MAX) return false;
        sandbox->ports[sandbox->port_count++] = (unsigned short)number;
        return true;
    }
    if (strcmp(name, "--processes") == 0) {
        if (!parse_number(value, 0, 65536, &number)) return false;
        options->limits.processes = sandbox->processes = (unsigned)number;
        return true;
    }
    if (strcmp(name, "--memory") == 0) {
        if (!parse_number(value, 1 << 20, LLONG_MAX, &number)) return false;
        options->limits.memory = number;
        return true;
    }
    if (strcmp(name, "--open-files") == 0) {
        if (!parse_number(value, 16, 1 << 20, &number)) return false;
        options->limits.open_files = number;
        return true;
    }
    return false;
}

int options_parse(int argc, char *argv[], struct options *options) {
    memset(options, 0, sizeof *options);
    unsigned long long parent = 0;
    if (argc < 3 || !parse_number(argv[1], 1, INT_MAX, &parent)) return -1;
    options->parent = (pid_t)parent;

    int next = 2;
    for (; next < argc && strncmp(argv[next], "--", 2) == 0; next++) {
        const char *name = argv[next];
        if (name[2] == 0) {
            next++;
            break;
        }
        if (strcmp(name, "--confine") == 0) {
            options->is_confined = true;
        } else if (strcmp(name, "--without-landlock") == 0) {
            options->sandbox.may_lack_landlock = true;
        } else if (strcmp(name, "--watch") == 0) {
            options->sandbox.may_watch = true;
        } else if (strcmp(name, "--change-attributes") == 0) {
            options->sandbox.may_change_attributes = true;
        } else if (next + 1 == argc || !take_value(options, name, argv[++next])) {
            return -1;
        }
    }
    if (next >= argc) return -1;
    options->program = argv + next;
    return 0;
}
