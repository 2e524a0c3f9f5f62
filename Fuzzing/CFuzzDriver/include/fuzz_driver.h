#ifndef FUZZ_DRIVER_H
#define FUZZ_DRIVER_H

#include <stddef.h>
#include <stdint.h>

/// Hands over to libFuzzer, which calls back with inputs until it was enough. Returns what the program is to exit with,
/// or -1 when the program was linked without libFuzzer.
int fuzz_driver_run(int argument_count, char **arguments, int (*run)(const uint8_t *bytes, size_t count));

#endif
