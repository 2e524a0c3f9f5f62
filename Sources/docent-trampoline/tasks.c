#define _GNU_SOURCE
#include "tasks.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MOST = TASKS_OF_A_PROVIDER + PROCESSES_OF_A_PROVIDER + 1 };

// Processes that have been found and whose children have not, of the provider's and below it.
struct walk {
    pid_t found[MOST];
    unsigned length;
};

// A thread's children. It is gone when there is no such file, and they have another parent by then.
static void find_children(struct walk *walk, pid_t process, const char *thread) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%.10s/children", (int)process, thread);
    FILE *file = fopen(path, "re");
    if (file == NULL) return;
    int child;
    while (walk->length < MOST && fscanf(file, "%d", &child) == 1) walk->found[walk->length++] = child;
    fclose(file);
}

// How many threads it has; 0 for one that is gone.
static unsigned look_at(struct walk *walk, pid_t process, bool with_children) {
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *threads = opendir(path);
    if (threads == NULL) return 0;
    unsigned count = 0;
    struct dirent *entry;
    while ((entry = readdir(threads)) != NULL) {
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9') continue;
        count++;
        if (with_children) find_children(walk, process, entry->d_name);
    }
    closedir(threads);
    return count;
}

// All that there are, or more than the limit. Those whose parent has ended are the shepherd's children.
static unsigned count(const struct tasks *tasks) {
    static struct walk walk;
    walk.length = 0;
    if (tasks->is_alone) return look_at(&walk, tasks->provider, false);
    char own[16];
    snprintf(own, sizeof own, "%d", (int)getpid());
    find_children(&walk, getpid(), own);
    unsigned all = 0;
    // What is found on the way is looked at behind it.
    for (unsigned index = 0; index < walk.length && all <= tasks->limit; index++) {
        all += look_at(&walk, walk.found[index], true);
    }
    return all;
}

// On the provider's standard error, which the host keeps the last lines of. Opened anew, as a full pipe must not keep the
// shepherd from what it is there for.
static void tell(struct tasks *tasks, const char *consequence) {
    if (tasks->is_told) return;
    tasks->is_told = true;
    int errors = open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (errors < 0) return;
    dprintf(errors, "docent-trampoline: the provider has as many threads and processes as it may have (%u); it %s\n",
            tasks->limit, consequence);
    close(errors);
}

bool tasks_may_grow(struct tasks *tasks) {
    if (tasks->room == 0) {
        unsigned now = count(tasks);
        tasks->room = now < tasks->limit ? tasks->limit - now : 0;
    }
    if (tasks->room == 0) {
        tell(tasks, "gets no more");
        return false;
    }
    tasks->room--;
    return true;
}

static long long milliseconds(void) {
    struct timespec now;
    return clock_gettime(CLOCK_MONOTONIC, &now) == 0 ? now.tv_sec * 1000LL + now.tv_nsec / 1000000 : 0;
}

bool tasks_are_too_many(struct tasks *tasks) {
    if (tasks->is_alone) return false;
    // However often something else wakes the shepherd.
    long long now = milliseconds();
    if (now - tasks->counted_at < TASKS_INTERVAL - 1) return false;
    tasks->counted_at = now;
    if (count(tasks) <= tasks->limit) return false;
    // Said again, if it was: this is another consequence.
    tasks->is_told = false;
    tell(tasks, "is ended");
    return true;
}
