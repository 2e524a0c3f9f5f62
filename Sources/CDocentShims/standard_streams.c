#define _GNU_SOURCE
#include "docent_standard_streams.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int docent_protect_standard_streams(int *input, int *output) {
    // Above 2, so that no gap among the standard streams is filled with one of them.
    int in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    if (in < 0) return -errno;
    int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (out < 0) {
        int error = errno;
        close(in);
        return -error;
    }
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 ||
        // Without a standard error, prints go nowhere.
        (dup2(STDERR_FILENO, STDOUT_FILENO) < 0 && dup2(null, STDOUT_FILENO) < 0)) {
        int error = errno;
        if (null >= 0) close(null);
        close(in);
        close(out);
        return -error;
    }
    if (null > STDERR_FILENO) close(null);
    setvbuf(stdout, NULL, _IOLBF, 0);
    *input = in;
    *output = out;
    return 0;
}

struct watch {
    int file;
    int grace_milliseconds;
};

static void *watch_hang_up(void *argument) {
    struct watch watch = *(struct watch *)argument;
    free(argument);
    // A hang-up is told without being asked for; data that nobody reads is not.
    struct pollfd poller = {.fd = watch.file, .events = POLLRDHUP};
    while (poll(&poller, 1, -1) < 0 && errno == EINTR) {
    }
    if (poller.revents & POLLNVAL) return NULL;
    poll(NULL, 0, watch.grace_milliseconds);
    _exit(0);
}

int docent_exit_after_hang_up(int file, int grace_milliseconds) {
    struct watch *watch = malloc(sizeof *watch);
    if (!watch) return -ENOMEM;
    // Its own duplicate, which stays when the stream's owner closes the other one.
    int own = fcntl(file, F_DUPFD_CLOEXEC, 3);
    if (own < 0) {
        free(watch);
        return -errno;
    }
    *watch = (struct watch){own, grace_milliseconds};
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    int error = pthread_create(&thread, NULL, watch_hang_up, watch);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error) {
        close(own);
        free(watch);
        return -error;
    }
    pthread_detach(thread);
    return 0;
}
