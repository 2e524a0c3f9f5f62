#include "fuzz_driver.h"

// Only scripts/fuzz links libFuzzer; without it the address is null.
extern int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*run)(const uint8_t *, size_t)) __attribute__((weak));

int fuzz_driver_run(int argument_count, char **arguments, int (*run)(const uint8_t *, size_t)) {
    if (LLVMFuzzerRunDriver == NULL) return -1;
    return LLVMFuzzerRunDriver(&argument_count, &arguments, run);
}
