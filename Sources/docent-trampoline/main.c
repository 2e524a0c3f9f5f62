// Starts a provider so that neither it nor anything that it starts can outlive the host, whatever happens to the host.
//
//     docent-trampoline PARENT [OPTION ...] [--] PROGRAM [ARGUMENT ...]
//
// PARENT is the process id of the host. The program gets the standard descriptors, the environment and the working
// folder that the trampoline was given, a session of its own, what the options grant, and nothing else. The trampoline
// itself stays, as the program's shepherd.
#include <stdio.h>

#include "options.h"
#include "program.h"
#include "shepherd.h"

static int become(void *options, int channel) { return docent_become_program(options, channel); }

int main(int argc, char *argv[]) {
    struct options options;
    if (options_parse(argc, argv, &options) != 0) {
        fputs(options_usage, stderr);
        return 64;
    }
    docent_shepherd(options.parent, options.limits.processes, become, &options);
}
