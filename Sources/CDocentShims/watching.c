#define _GNU_SOURCE
#include "docent_watching.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

int docent_watcher_open(void) {
    int watcher = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    return watcher < 0 ? -errno : watcher;
}

int docent_watch_add(int watcher, int folder) {
    // inotify knows paths only; this one names the open folder, wherever it has been moved to.
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", folder);
    const uint32_t mask = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MODIFY | IN_CLOSE_WRITE |
                          IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_EXCL_UNLINK;
    int watch = inotify_add_watch(watcher, path, mask);
    return watch < 0 ? -errno : watch;
}

int docent_watch_remove(int watcher, int watch) {
    return inotify_rm_watch(watcher, watch) < 0 ? -errno : 0;
}

ssize_t docent_watch_read(int watcher, void *buffer, size_t size) {
    ssize_t count;
    do { count = read(watcher, buffer, size); } while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : count;
}

size_t docent_watch_event_at(
    const void *buffer, size_t filled, size_t offset, struct docent_watch_event *event) {
    struct inotify_event found;
    if (offset > filled || filled - offset < sizeof found) return 0;
    memcpy(&found, (const char *)buffer + offset, sizeof found);
    if (found.len > filled - offset - sizeof found) return 0;
    event->watch = found.wd;
    event->cookie = found.cookie;
    event->name = (const char *)buffer + offset + sizeof found;
    event->name_length = found.len == 0 ? 0 : strnlen(event->name, found.len);
    event->flags = 0;
    if (found.mask & IN_ISDIR) event->flags |= DOCENT_WATCH_FOLDER;
    if (found.mask & IN_Q_OVERFLOW) event->flags |= DOCENT_WATCH_OVERFLOW;
    if (found.mask & IN_IGNORED) event->flags |= DOCENT_WATCH_ENDED;
    if (found.mask & IN_UNMOUNT) event->flags |= DOCENT_WATCH_UNMOUNTED;
    if (found.mask & IN_MOVED_FROM) event->flags |= DOCENT_WATCH_MOVED_FROM;
    if (found.mask & IN_MOVED_TO) event->flags |= DOCENT_WATCH_MOVED_TO;
    if (event->name_length == 0) event->flags |= DOCENT_WATCH_SELF;
    if (found.mask & IN_CREATE) event->flags |= DOCENT_WATCH_MADE;
    if (found.mask & IN_DELETE) event->flags |= DOCENT_WATCH_REMOVED;
    if (found.mask & IN_MODIFY) event->flags |= DOCENT_WATCH_WRITTEN;
    if (found.mask & IN_CLOSE_WRITE) event->flags |= DOCENT_WATCH_CLOSED;
    if (found.mask & IN_MOVE_SELF) event->flags |= DOCENT_WATCH_SELF_MOVED;
    return offset + sizeof found + found.len;
}

int docent_wakeup_open(void) {
    int wakeup = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return wakeup < 0 ? -errno : wakeup;
}

int docent_wakeup_signal(int wakeup) {
    uint64_t one = 1;
    return write(wakeup, &one, sizeof one) < 0 && errno != EAGAIN ? -errno : 0;
}

int docent_wakeup_clear(int wakeup) {
    uint64_t count;
    return read(wakeup, &count, sizeof count) < 0 && errno != EAGAIN ? -errno : 0;
}

int docent_wait_either(int first, int second, int milliseconds) {
    struct pollfd waits[2] = {{.fd = first, .events = POLLIN}, {.fd = second, .events = POLLIN}};
    int count = poll(waits, 2, milliseconds);
    if (count < 0) return errno == EINTR ? 0 : -errno;
    return (waits[0].revents ? 1 : 0) | (waits[1].revents ? 2 : 0);
}
