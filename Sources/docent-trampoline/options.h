// The trampoline's command line: whose child the provider is, what it may reach, how much it may use.
#ifndef DOCENT_TRAMPOLINE_OPTIONS_H
#define DOCENT_TRAMPOLINE_OPTIONS_H

#include <stdbool.h>
#include <sys/types.h>

#include "limits.h"
#include "sandbox.h"

struct options {
    // The process id of the host.
    pid_t parent;
    // Without it only the limits hold.
    bool is_confined;
    struct sandbox sandbox;
    struct limits limits;
    // The program and its arguments, ended by NULL.
    char **program;
};

// 0, or -1 for a command line that is not understood. Paths stay where they are, in `argv`.
int options_parse(int argc, char *argv[], struct options *options);

extern const char options_usage[];

#endif
