// Tries to do one thing that a sandbox may refuse, and prints "allowed", or the name of the error that it met.
//
//     escaping-provider ATTEMPT [ARGUMENT ...]
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attempts.h"

int main(int argc, char *argv[]) {
    if (argc < 2) {
        fputs("usage: escaping-provider ATTEMPT [ARGUMENT ...]\n", stderr);
        return 64;
    }
    static const struct attempt *const groups[] = {file_attempts, socket_attempts, process_attempts};
    for (size_t group = 0; group < sizeof groups / sizeof *groups; group++) {
        for (const struct attempt *attempt = groups[group]; attempt->name != NULL; attempt++) {
            if (strcmp(attempt->name, argv[1]) != 0) continue;
            if (argc - 2 != attempt->arguments) {
                fprintf(stderr, "escaping-provider: %s takes %d arguments\n", argv[1], attempt->arguments);
                return 64;
            }
            errno = 0;
            long result = attempt->run(argv + 2);
            puts(result >= 0 ? "allowed" : strerrorname_np(errno) ? strerrorname_np(errno) : "unknown error");
            fflush(stdout);
            return 0;
        }
    }
    fprintf(stderr, "escaping-provider: there is no attempt “%s”\n", argv[1]);
    return 64;
}
