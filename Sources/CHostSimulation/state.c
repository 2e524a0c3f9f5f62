#define _GNU_SOURCE
#include "state.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <unistd.h>

__thread bool simulation_is_here = false;
int simulation_depth = 0;
struct simulation_hooks simulation_hooks;
char simulation_folder[256];
static size_t folder_length;
static uint64_t changes;
static uint64_t random_state;

long simulation_system_call(long number, long a, long b, long c, long d, long e, long f) {
    long result;
#if defined(__x86_64__)
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    result = x0;
#else
#error "The simulation of hosts makes system calls by itself, and does not know how on this processor."
#endif
    if (result < 0 && result > -4096) {
        errno = (int)-result;
        return -1;
    }
    return result;
}

void simulation_seed(uint64_t seed) {
    random_state = seed;
}

static uint64_t next_random(void) {
    random_state += 0x9E3779B97F4A7C15u;
    uint64_t mixed = random_state;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    return mixed ^ (mixed >> 31);
}

void simulation_fill_random(void *bytes, size_t size) {
    for (size_t done = 0; done < size; done += 8) {
        uint64_t number = next_random();
        memcpy((char *)bytes + done, &number, size - done < 8 ? size - done : 8);
    }
}

void simulation_begin(const char *folder, const struct simulation_hooks *hooks) {
    snprintf(simulation_folder, sizeof simulation_folder, "%s", folder);
    folder_length = strlen(simulation_folder);
    simulation_hooks = *hooks;
    simulation_is_here = true;
}

void simulation_pause(void) {
    simulation_depth++;
}

void simulation_resume(void) {
    simulation_depth--;
}

uint64_t simulation_changes(void) {
    return changes;
}

bool simulation_path_of(int file, char *result, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, result, size - 1);
    if (length < 0) return false;
    result[length] = '\0';
    return true;
}

bool simulation_absolute(int folder, const char *path, char *result, size_t size) {
    if (path[0] == '/') return snprintf(result, size, "%s", path) < (int)size;
    if (folder == AT_FDCWD) return false;
    if (!simulation_path_of(folder, result, size)) return false;
    if (path[0] == '\0' || strcmp(path, ".") == 0) return true;
    size_t length = strlen(result);
    return snprintf(result + length, size - length, "/%s", path) < (int)(size - length);
}

bool simulation_concerns(const char *path) {
    return strncmp(path, simulation_folder, folder_length) == 0;
}

int simulation_ask(struct simulation_change *change) {
    changes++;
    simulation_depth++;
    int saved = errno;
    int error = simulation_hooks.before(change);
    simulation_depth--;
    errno = error != 0 ? error : saved;
    return error;
}

void simulation_tell(struct simulation_change *change) {
    int saved = errno;
    simulation_depth++;
    simulation_hooks.after(change);
    simulation_depth--;
    errno = saved;
}

void simulation_blind(int file) {
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup3(nothing, file, O_CLOEXEC);
    close(nothing);
}

int simulation_settle(char *const *arguments) {
    int flags = personality(0xffffffff);
    const char *hashing = getenv("SWIFT_DETERMINISTIC_HASHING");
    if ((flags & ADDR_NO_RANDOMIZE) != 0 && hashing != NULL) return 0;
    if (personality((unsigned long)flags | ADDR_NO_RANDOMIZE) < 0) return errno;
    setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1);
    execv("/proc/self/exe", arguments);
    return errno;
}
