#define _GNU_SOURCE
#include "state.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static uint64_t now;
static int64_t date;

void simulation_set_time(uint64_t nanoseconds) {
    now = nanoseconds;
}

void simulation_set_date(int64_t nanoseconds) {
    date = nanoseconds;
}

static void fill(struct timespec *time, uint64_t nanoseconds) {
    time->tv_sec = (time_t)(nanoseconds / 1000000000);
    time->tv_nsec = (long)(nanoseconds % 1000000000);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (!simulation_is_here) return (int)simulation_system_call(SYS_clock_gettime, clock, (long)time, 0, 0, 0, 0);
    // Each look takes its time.
    now += 20;
    bool isDate = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
    fill(time, isDate ? now + (uint64_t)date : now);
    return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    time->tv_sec = exact.tv_sec;
    time->tv_usec = exact.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *place) {
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    if (place != NULL) *place = exact.tv_sec;
    return exact.tv_sec;
}

int nanosleep(const struct timespec *time, struct timespec *left) {
    if (!simulation_is_here) return (int)simulation_system_call(SYS_nanosleep, (long)time, (long)left, 0, 0, 0, 0);
    now += (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_nsec;
    return 0;
}

pid_t getpid(void) {
    return simulation_is_here ? 4711 : (pid_t)simulation_system_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
}
