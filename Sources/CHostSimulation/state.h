#ifndef HOST_SIMULATION_STATE_H
#define HOST_SIMULATION_STATE_H

#include "host_simulation.h"
#include <stdbool.h>

/// Whether this thread is the one that simulates.
extern __thread bool simulation_is_here;
/// How often what is done just now was taken out.
extern int simulation_depth;
extern struct simulation_hooks simulation_hooks;
extern char simulation_folder[256];

/// Without any wrapper: -1 and errno as the C library's.
long simulation_system_call(long number, long a, long b, long c, long d, long e, long f);

void simulation_fill_random(void *bytes, size_t size);

/// Makes an absolute path of what a call was given.
bool simulation_absolute(int folder, const char *path, char *result, size_t size);
bool simulation_path_of(int file, char *result, size_t size);
/// Whether changes below a path are simulated.
bool simulation_concerns(const char *path);

/// 0: to be done. Otherwise it has failed, and errno is set.
int simulation_ask(struct simulation_change *change);
void simulation_tell(struct simulation_change *change);

/// Gives the entries of a listing the numbers that their files have here.
void simulation_renumber(int folder, void *entries, ssize_t size);
#endif
