#define _GNU_SOURCE
#include "docent_landlock.h"

#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

// As <linux/landlock.h> has it, which is missing on older systems.
enum { CREATE_RULESET_VERSION = 1 };

int docent_landlock_version(void) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, CREATE_RULESET_VERSION);
    return version < 0 ? -errno : (int)version;
}
