#define _GNU_SOURCE
#include "limits.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tasks.h"

// More descriptors than a sane provider needs, and few enough that a leak is noticed.
enum { OPEN_FILES_SOFT = 1024, OPEN_FILES_HARD = 4096 };

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { HAS_SHADOWS = 1 };
#else
enum { HAS_SHADOWS = 0 };
#endif

// The stack of the first thread, which RLIMIT_DATA does not look at.
enum { STACK_SOFT = 8 << 20, STACK_HARD = 64 << 20 };

// Room for what else the user starts while the provider runs.
enum { TASKS_HEADROOM = 256 };

static int lower(int resource, rlim_t soft, rlim_t hard) {
    struct rlimit now;
    if (getrlimit(resource, &now) != 0) return -1;
    // Lower only: the hard limit cannot be raised again.
    if (now.rlim_max < hard) hard = now.rlim_max;
    if (hard < soft) soft = hard;
    struct rlimit wanted = {.rlim_cur = soft, .rlim_max = hard};
    return setrlimit(resource, &wanted);
}

// The number of a line like "Threads:\t12" of a process's status; 0 when there is none.
static unsigned long status_number(const char *status, const char *name) {
    const char *line = strstr(status, name);
    return line == NULL ? 0 : strtoul(line + strlen(name), NULL, 10);
}

unsigned long limits_count_tasks(void) {
    DIR *processes = opendir("/proc");
    if (processes == NULL) return 0;
    unsigned long tasks = 0;
    struct dirent *entry;
    while ((entry = readdir(processes)) != NULL) {
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9') continue;
        char path[sizeof "/proc//status" + sizeof entry->d_name], status[4096];
        snprintf(path, sizeof path, "/proc/%s/status", entry->d_name);
        FILE *file = fopen(path, "re");
        if (file == NULL) continue;
        size_t length = fread(status, 1, sizeof status - 1, file);
        fclose(file);
        status[length] = 0;
        if (strstr(status, "\nUid:") != NULL && status_number(status, "\nUid:") == getuid()) {
            tasks += status_number(status, "\nThreads:");
        }
    }
    closedir(processes);
    return tasks;
}

int limits_apply(const struct limits *limits, const char **what) {
    *what = "the limit of core files";
    // At 1 no file has room for one, and programs that collect cores get none; at 0 they do (core(5)).
    if (lower(RLIMIT_CORE, 1, 1) != 0) return -1;
    *what = "the limit of open files";
    rlim_t files = limits->open_files;
    if (lower(RLIMIT_NOFILE, files ? files : OPEN_FILES_SOFT, files ? files : OPEN_FILES_HARD) != 0) return -1;
    *what = "the limit of the stack";
    if (lower(RLIMIT_STACK, STACK_SOFT, STACK_HARD) != 0) return -1;
    *what = "the limit of message queues";
    if (lower(RLIMIT_MSGQUEUE, 0, 0) != 0) return -1;
    // A sanitizer maps terabytes of shadows, which count as data although hardly any of them is there (scripts/sanitize).
    if (limits->memory > 0 && !HAS_SHADOWS) {
        *what = "the limit of memory";
        if (lower(RLIMIT_DATA, limits->memory, limits->memory) != 0) return -1;
    }
    return 0;
}

int limits_apply_tasks(const struct limits *limits, unsigned long tasks) {
    rlim_t most = tasks + TASKS_OF_A_PROVIDER + limits->processes + TASKS_HEADROOM;
    return lower(RLIMIT_NPROC, most, most);
}
