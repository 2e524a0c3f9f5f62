#ifndef DOCENT_PROGRAM_H
#define DOCENT_PROGRAM_H

#include "options.h"

// As shells have it: 126 for a program that cannot be executed, 127 for one that is not there.
enum { EXIT_SETUP = 125, EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

// Makes this process the program: its limits, its mask, its signals, its descriptors, its sandbox, and then the program
// itself. `channel` leads to the shepherd, and closes with it.
// Returns only when that failed, after saying so: the exit status.
int docent_become_program(const struct options *options, int channel);

// All signals as they are by default.
void docent_restore_signals(void);

// Closes all descriptors but the standard ones and those that are kept, which are in ascending order.
void docent_close_descriptors_but(const int kept[], unsigned count);

#endif
