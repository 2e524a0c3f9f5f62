#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

#include "attempts.h"

static long read_file(char **a) {
    char byte;
    int file = open(a[0], O_RDONLY | O_CLOEXEC);
    return file < 0 ? -1 : read(file, &byte, 1);
}

static long list_folder(char **a) { return opendir(a[0]) != NULL ? 0 : -1; }
static long write_file(char **a) { return open(a[0], O_WRONLY | O_CLOEXEC); }
static long make_file(char **a) { return open(a[0], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600); }
static long truncate_file(char **a) { return truncate(a[0], 0); }
static long empty_by_opening(char **a) { return open(a[0], O_RDONLY | O_TRUNC | O_CLOEXEC); }
static long empty_while_writing(char **a) { return open(a[0], O_WRONLY | O_TRUNC | O_CLOEXEC); }
static long empty_anew(char **a) { return creat(a[0], 0600); }

// Neither for reading nor for writing: such a descriptor is for commands.
static long empty_by_third_mode(char **a) { return open(a[0], O_ACCMODE | O_TRUNC | O_CLOEXEC); }

static long empty_by_new_call(char **a) {
    uint64_t how[3] = {O_RDONLY | O_TRUNC | O_CLOEXEC, 0, 0};
    return syscall(SYS_openat2, AT_FDCWD, a[0], how, sizeof how);
}

static long remove_file(char **a) { return unlink(a[0]); }
static long make_folder(char **a) { return mkdir(a[0], 0700); }
static long make_pipe(char **a) { return mknod(a[0], S_IFIFO | 0600, 0); }
static long make_device(char **a) { return mknod(a[0], S_IFCHR | 0600, 0x103); }
static long link_file(char **a) { return link(a[0], a[1]); }
static long rename_file(char **a) { return rename(a[0], a[1]); }
static long exchange_files(char **a) { return syscall(SYS_renameat2, AT_FDCWD, a[0], AT_FDCWD, a[1], 2); }

// A symbolic link of its own that leads out.
static long read_by_link(char **a) { return symlink(a[0], a[1]) == 0 ? read_file(a + 1) : -1; }
static long write_by_link(char **a) { return symlink(a[0], a[1]) == 0 ? write_file(a + 1) : -1; }

static long read_from_folder(char **a) {
    return chdir(a[0]) == 0 ? open(a[1], O_RDONLY | O_CLOEXEC) : -1;
}

static long read_by_process_root(char **a) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "/proc/%s/root%s", a[0], a[1]);
    return open(path, O_RDONLY | O_CLOEXEC);
}

// A descriptor that grants nothing is opened once more.
static long read_by_descriptor(char **a) {
    char path[PATH_MAX];
    int place = open(a[0], O_PATH | O_CLOEXEC);
    if (place < 0) return -1;
    snprintf(path, sizeof path, "/proc/self/fd/%d", place);
    return open(path, O_RDONLY | O_CLOEXEC);
}

// A file without a name that gets one elsewhere.
static long link_unnamed(char **a) {
    char path[PATH_MAX];
    int file = open(a[0], O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (file < 0) return -1;
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return linkat(AT_FDCWD, path, AT_FDCWD, a[1], AT_SYMLINK_FOLLOW);
}

static long change_mode(char **a) { return chmod(a[0], 0600); }
static long change_owner(char **a) { return chown(a[0], (uid_t)-1, (gid_t)-1); }
static long change_times(char **a) { return utime(a[0], NULL); }
static long change_times_at(char **a) { return utimensat(AT_FDCWD, a[0], NULL, 0); }
static long set_attribute(char **a) { return setxattr(a[0], "user.escaped", "1", 1, 0); }
static long list_attributes(char **a) { return listxattr(a[0], NULL, 0); }

static long change_mode_opened(char **a) {
    int file = open(a[0], O_RDONLY | O_CLOEXEC);
    return file < 0 ? -1 : fchmod(file, 0600);
}

static long change_mode_by_third_mode(char **a) {
    int file = open(a[0], O_ACCMODE | O_CLOEXEC);
    return file < 0 ? -1 : fchmod(file, 0600);
}

static long change_mode_by_new_call(char **a) {
    uint64_t how[3] = {O_ACCMODE | O_CLOEXEC, 0, 0};
    long file = syscall(SYS_openat2, AT_FDCWD, a[0], how, sizeof how);
    return file < 0 ? -1 : fchmod((int)file, 0600);
}

static long change_mode_of_place(char **a) {
    int place = open(a[0], O_PATH | O_CLOEXEC);
    return place < 0 ? -1 : syscall(452 /* fchmodat2 */, place, "", 0600, AT_EMPTY_PATH);
}

static long watch_folder(char **a) {
    int watcher = inotify_init1(IN_CLOEXEC);
    return watcher < 0 ? -1 : inotify_add_watch(watcher, a[0], IN_ALL_EVENTS);
}

static long execute(char **a) {
    char *arguments[] = {a[0], NULL};
    // What is executed says the rest.
    return execv(a[0], arguments);
}

static long execute_memory(char **a) {
    char byte[4096];
    long count;
    int memory = memfd_create("program", 0);
    int program = open(a[0], O_RDONLY | O_CLOEXEC);
    if (memory < 0 || program < 0) return -1;
    while ((count = read(program, byte, sizeof byte)) > 0) {
        if (write(memory, byte, (size_t)count) != count) return -1;
    }
    char *arguments[] = {a[0], NULL}, *environment[] = {NULL};
    return syscall(SYS_execveat, memory, "", arguments, environment, AT_EMPTY_PATH);
}

const struct attempt file_attempts[] = {
    {"read", 1, read_file},
    {"list", 1, list_folder},
    {"write", 1, write_file},
    {"make", 1, make_file},
    {"truncate", 1, truncate_file},
    {"empty-by-opening", 1, empty_by_opening},
    {"empty-by-third-mode", 1, empty_by_third_mode},
    {"empty-by-new-call", 1, empty_by_new_call},
    {"empty-while-writing", 1, empty_while_writing},
    {"empty-anew", 1, empty_anew},
    {"fchmod-by-third-mode", 1, change_mode_by_third_mode},
    {"fchmod-by-new-call", 1, change_mode_by_new_call},
    {"remove", 1, remove_file},
    {"make-folder", 1, make_folder},
    {"make-pipe", 1, make_pipe},
    {"make-device", 1, make_device},
    {"link", 2, link_file},
    {"rename", 2, rename_file},
    {"exchange", 2, exchange_files},
    {"read-by-link", 2, read_by_link},
    {"write-by-link", 2, write_by_link},
    {"read-from-folder", 2, read_from_folder},
    {"read-by-process-root", 2, read_by_process_root},
    {"read-by-descriptor", 1, read_by_descriptor},
    {"link-unnamed", 2, link_unnamed},
    {"chmod", 1, change_mode},
    {"chown", 1, change_owner},
    {"utime", 1, change_times},
    {"utimensat", 1, change_times_at},
    {"setxattr", 1, set_attribute},
    {"listxattr", 1, list_attributes},
    {"fchmod", 1, change_mode_opened},
    {"fchmodat2", 1, change_mode_of_place},
    {"watch", 1, watch_folder},
    {"execute", 1, execute},
    {"execute-memory", 1, execute_memory},
    {0},
};
