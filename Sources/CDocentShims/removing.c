#define _GNU_SOURCE
#include "docent_paths.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_folder(int parent, const char *name) {
    int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int folder = openat(parent, name, flags);
    if (folder >= 0 || errno != EACCES) return folder;
    // Its owner has locked itself out. A link is not followed by the open above, which says so with another error.
    if (fchmodat(parent, name, 0700, 0) != 0) return -1;
    return openat(parent, name, flags);
}

static int is_dot(const char *name) { return strcmp(name, ".") == 0 || strcmp(name, "..") == 0; }

// 0 for what is gone; else -1 with errno, ENOTEMPTY for a folder with something in it.
static int remove_entry(int folder, const char *name) {
    if (unlinkat(folder, name, 0) == 0 || errno == ENOENT) return 0;
    if (errno != EISDIR && errno != EPERM) return -1;
    if (unlinkat(folder, name, AT_REMOVEDIR) == 0 || errno == ENOENT) return 0;
    if (errno == EEXIST) errno = ENOTEMPTY;
    return -1;
}

// Empties a folder within `top`; folders in it that are not empty are moved up into `top`.
static int empty_into(int top, const char *name, unsigned long *number) {
    int inner = open_folder(top, name);
    if (inner < 0) return -1;
    fchmod(inner, 0700);
    DIR *listing = fdopendir(inner);
    if (listing == NULL) {
        close(inner);
        return -1;
    }
    int error = 0;
    struct dirent *entry;
    while (error == 0 && (entry = readdir(listing)) != NULL) {
        if (is_dot(entry->d_name) || remove_entry(inner, entry->d_name) == 0) continue;
        error = errno;
        if (error != ENOTEMPTY && error != EACCES) break;
        // To move a folder is to change what it holds above itself.
        fchmodat(inner, entry->d_name, 0700, 0);
        do {
            char moved[32];
            snprintf(moved, sizeof moved, ".removed-%lu", (*number)++);
            error = renameat(inner, entry->d_name, top, moved) == 0 ? 0 : errno;
        } while (error == EEXIST || error == ENOTEMPTY || error == ENOTDIR);
    }
    closedir(listing);
    errno = error;
    return error == 0 ? 0 : -1;
}

int docent_remove_tree(int folder, const char *name) {
    if (name[0] == 0 || is_dot(name) || strchr(name, '/') != NULL) return -EINVAL;
    if (remove_entry(folder, name) == 0) return 0;
    if (errno != ENOTEMPTY && errno != EACCES) return -errno;
    int top = open_folder(folder, name);
    if (top < 0) return -errno;
    fchmod(top, 0700);
    unsigned long number = 0;
    int error = 0, is_empty = 0;
    while (error == 0 && !is_empty) {
        is_empty = 1;
        int again = openat(top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        DIR *listing = again < 0 ? NULL : fdopendir(again);
        if (listing == NULL) {
            error = errno;
            if (again >= 0) close(again);
            break;
        }
        struct dirent *entry;
        while (error == 0 && (entry = readdir(listing)) != NULL) {
            if (is_dot(entry->d_name)) continue;
            is_empty = 0;
            if (remove_entry(top, entry->d_name) == 0) continue;
            if (errno != ENOTEMPTY && errno != EACCES) error = errno;
            else if (empty_into(top, entry->d_name, &number) != 0) error = errno;
        }
        closedir(listing);
    }
    close(top);
    if (error != 0) return -error;
    return remove_entry(folder, name) == 0 ? 0 : -errno;
}
