#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attempts.h"

static pid_t process(const char *text) { return (pid_t)atoi(text); }

static long send_signal(char **a) { return kill(process(a[0]), 0); }
static long signal_itself(char **a) { return (void)a, kill(getpid(), 0); }
static long signal_queue(char **a) { return sigqueue(process(a[0]), 0, (union sigval){0}); }
static long signal_thread(char **a) { return syscall(SYS_tgkill, process(a[0]), process(a[0]), 0); }

static long signal_by_descriptor(char **a) {
    long descriptor = syscall(434 /* pidfd_open */, process(a[0]), 0);
    return descriptor < 0 ? -1 : syscall(SYS_pidfd_send_signal, descriptor, 0, NULL, 0);
}

// The kernel would send it when the descriptor becomes readable.
static long signal_by_file(char **a) {
    int ends[2];
    return pipe(ends) == 0 ? fcntl(ends[0], F_SETOWN, process(a[0])) : -1;
}

static long trace(char **a) { return ptrace(PTRACE_SEIZE, process(a[0]), NULL, NULL); }

static long read_memory(char **a) {
    char byte;
    struct iovec ours = {&byte, 1}, theirs = {(void *)strtoul(a[1], NULL, 10), 1};
    return process_vm_readv(process(a[0]), &ours, 1, &theirs, 1, 0);
}

static long open_memory(char **a) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/mem", process(a[0]));
    return open(path, O_RDONLY);
}

static long take_descriptor(char **a) {
    long descriptor = syscall(434 /* pidfd_open */, process(a[0]), 0);
    return descriptor < 0 ? -1 : syscall(438 /* pidfd_getfd */, descriptor, 0, 0);
}

static long limit_other(char **a) {
    struct rlimit limit;
    if (prlimit(process(a[0]), RLIMIT_CORE, NULL, &limit) != 0) return -1;
    return prlimit(process(a[0]), RLIMIT_CORE, &limit, NULL);
}

static long slow_other(char **a) { return setpriority(PRIO_PROCESS, (id_t)process(a[0]), 0); }

static long pin_other(char **a) {
    cpu_set_t all;
    memset(&all, 0xFF, sizeof all);
    return sched_setaffinity(process(a[0]), sizeof all, &all);
}

static long new_namespaces(char **a) { return (void)a, unshare(CLONE_NEWUSER | CLONE_NEWNS); }
static long cloned_namespace(char **a) {
    (void)a;
    long child = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
    if (child == 0) _exit(0);
    return child;
}
// Whoever may is to leave nothing behind.
static long mount_folder(char **a) {
    long result = mount("none", a[0], "tmpfs", 0, NULL);
    if (result == 0) umount2(a[0], MNT_DETACH);
    return result;
}
static long open_mounts(char **a) { return (void)a, syscall(428 /* open_tree */, AT_FDCWD, "/", 1 /* clone */); }
static long change_root(char **a) { return chroot(a[0]); }
static long keyring(char **a) { return (void)a, syscall(SYS_keyctl, 0 /* KEYCTL_GET_KEYRING_ID */, -4, 0); }
static long bpf(char **a) {
    (void)a;
    // A map of one entry.
    uint32_t attributes[32] = {2, 4, 4, 1};
    return syscall(SYS_bpf, 0, attributes, sizeof attributes);
}
static long fault_handler(char **a) { return (void)a, syscall(SYS_userfaultfd, O_CLOEXEC | 1); }
static long ring(char **a) {
    (void)a;
    char parameters[120] = {0};
    return syscall(425 /* io_uring_setup */, 1, parameters);
}
static long shared_segment(char **a) { return (void)a, shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600); }
static long message_queue(char **a) { return (void)a, mq_open("/docent-escape", O_RDWR | O_CREAT, 0600, NULL); }
static long survive_parent(char **a) { return (void)a, prctl(PR_SET_PDEATHSIG, 0); }

static long adopt(char **a) { return (void)a, prctl(PR_SET_CHILD_SUBREAPER, 1); }
static long change_personality(char **a) { return (void)a, personality(PER_LINUX32); }
static long ask_personality(char **a) { return (void)a, personality(0xFFFFFFFF); }
static long hold_process(char **a) { return syscall(434 /* pidfd_open */, process(a[0]), 0); }
static long hold_parent(char **a) { return (void)a, syscall(434 /* pidfd_open */, getppid(), 0); }
static long hold_itself(char **a) { return (void)a, syscall(434 /* pidfd_open */, getpid(), 0); }

static long hold_child(char **a) {
    (void)a;
    pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) {
        pause();
        _exit(0);
    }
    long result = syscall(434 /* pidfd_open */, child, 0);
    int error = errno;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    errno = error;
    return result;
}

static long forked(char **a) {
    (void)a;
    pid_t child = fork();
    if (child == 0) _exit(0);
    return child < 0 ? -1 : waitpid(child, NULL, 0);
}

// A process that nobody would think of as the provider's any more.
static long leave_session(char **a) {
    (void)a;
    pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) _exit(setsid() < 0 ? errno : 0);
    int status = 0;
    waitpid(child, &status, 0);
    errno = WEXITSTATUS(status);
    return errno == 0 ? 0 : -1;
}

static void *idle(void *context) { return context; }
static long start_thread(char **a) {
    (void)a;
    pthread_t thread;
    errno = pthread_create(&thread, NULL, idle, NULL);
    if (errno != 0) return -1;
    return pthread_join(thread, NULL);
}

static void *wait_for_ever(void *context) {
    for (;;) pause();
    return context;
}

// With small stacks, which the limit of memory does not stop.
static long start_threads(char **a) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 65536);
    for (int count = atoi(a[0]); count > 0; count--) {
        pthread_t thread;
        errno = pthread_create(&thread, &attributes, wait_for_ever, NULL);
        if (errno != 0) return -1;
    }
    return 0;
}

// More threads than there may be at once, but one after the other.
static long start_threads_in_turn(char **a) {
    for (int count = atoi(a[0]); count > 0; count--) {
        if (start_thread(a) != 0) return -1;
    }
    return 0;
}

// As libdispatch looks at a thread.
static long look_at(pid_t thread, const char *name) {
    char path[64], content[16];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)thread, name);
    int file = open(path, O_RDONLY | O_NONBLOCK);
    return file < 0 ? -1 : read(file, content, sizeof content) > 0 ? 0 : -1;
}

// The errno that it met, or 0.
static void *look_at_itself(void *name) {
    return look_at((pid_t)syscall(SYS_gettid), name) == 0 ? NULL : (void *)(intptr_t)errno;
}

// Another thread than the first, whose number is not the process's.
static long look_at_own_thread(char **a) {
    pthread_t thread;
    errno = pthread_create(&thread, NULL, look_at_itself, a[0]);
    if (errno != 0) return -1;
    void *error;
    pthread_join(thread, &error);
    errno = (int)(intptr_t)error;
    return errno == 0 ? 0 : -1;
}

static long look_at_own_thread_in_child(char **a) {
    pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) _exit(look_at_own_thread(a) == 0 ? 0 : errno);
    int status = 0;
    waitpid(child, &status, 0);
    errno = WEXITSTATUS(status);
    return errno == 0 ? 0 : -1;
}

static long look_at_process(char **a) { return look_at(process(a[0]), a[1]); }

// A child of one's own is another process, too.
static long look_at_child(char **a) {
    (void)a;
    pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) {
        pause();
        _exit(0);
    }
    long result = look_at(child, "stat");
    int error = errno;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    errno = error;
    return result;
}

static long open_no_path(char **a) { return (void)a, syscall(SYS_openat, AT_FDCWD, (char *)8, O_RDONLY | O_NONBLOCK); }

static long forks(char **a) {
    static pid_t children[4096];
    int count = atoi(a[0]), made = 0, error = 0;
    while (made < count && error == 0) {
        pid_t child = fork();
        if (child == 0) {
            pause();
            _exit(0);
        }
        if (child < 0) error = errno;
        if (child > 0) children[made++] = child;
    }
    // Time to be noticed.
    for (int waited = 0; error == 0 && waited < 20; waited++) usleep(50000);
    while (made > 0) kill(children[--made], SIGKILL);
    errno = error;
    return error == 0 ? 0 : -1;
}

static void ignore_nothing(int number) { (void)number; }

// As a shell does for a pipe: one child ends while the next is started, and its handler asks for no restart.
static long forks_in_turn(char **a) {
    struct sigaction action = {.sa_handler = ignore_nothing};
    sigaction(SIGCHLD, &action, NULL);
    for (int count = atoi(a[0]); count > 0; count--) {
        pid_t child = fork();
        if (child < 0) return -1;
        if (child == 0) _exit(0);
        while (waitpid(-1, NULL, WNOHANG) > 0) {
        }
    }
    return 0;
}

static long use_memory(char **a) {
    size_t size = strtoull(a[0], NULL, 10);
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? -1 : 0;
}

static long share_memory(char **a) {
    size_t size = strtoull(a[0], NULL, 10);
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? -1 : 0;
}

// As a stack, which the limit of data does not look at.
static long use_memory_downwards(char **a) {
    size_t size = strtoull(a[0], NULL, 10);
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1, 0);
    return memory == MAP_FAILED ? -1 : 0;
}

static long raise_stack(char **a) {
    size_t size = strtoull(a[0], NULL, 10);
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0) return -1;
    limit.rlim_cur = size;
    return setrlimit(RLIMIT_STACK, &limit);
}

static long memory_file(char **a) {
    int file = memfd_create("memory", MFD_CLOEXEC);
    return file < 0 ? -1 : ftruncate(file, (off_t)strtoull(a[0], NULL, 10));
}

static long raise_limit(char **a) {
    (void)a;
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    return setrlimit(RLIMIT_DATA, &limit);
}

static long open_many(char **a) {
    int count = atoi(a[0]);
    for (int made = 0; made < count; made++) {
        if (open("/dev/null", O_RDONLY) < 0) return -1;
    }
    return 0;
}

static long type_for_user(char **a) { return (void)a, ioctl(0, TIOCSTI, "x"); }

// As a 32-bit program asks for its process id, and as x32 does.
static long old_call(char **a) {
    (void)a;
#if defined(__x86_64__)
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(20L) : "memory");
    if (result >= 0) return result;
    errno = (int)-result;
    return -1;
#else
    errno = ENOSYS;
    return -1;
#endif
}
static long x32_call(char **a) { return (void)a, syscall(0x40000000L + SYS_getpid); }
static long unknown_call(char **a) { return (void)a, syscall(470); }

static long capabilities(char **a) {
    (void)a;
    for (int capability = 0; capability < 41; capability++) {
        if (prctl(PR_CAPBSET_READ, capability) == 1) return 0;
    }
    errno = EPERM;
    return -1;
}

static long gain_privileges(char **a) {
    (void)a;
    errno = EPERM;
    return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? -1 : 0;
}

const struct attempt process_attempts[] = {
    {"signal", 1, send_signal},
    {"signal-itself", 0, signal_itself},
    {"signal-queue", 1, signal_queue},
    {"signal-thread", 1, signal_thread},
    {"signal-by-descriptor", 1, signal_by_descriptor},
    {"signal-by-file", 1, signal_by_file},
    {"trace", 1, trace},
    {"read-memory", 2, read_memory},
    {"open-memory", 1, open_memory},
    {"take-descriptor", 1, take_descriptor},
    {"limit-other", 1, limit_other},
    {"slow-other", 1, slow_other},
    {"pin-other", 1, pin_other},
    {"unshare", 0, new_namespaces},
    {"clone-namespace", 0, cloned_namespace},
    {"mount", 1, mount_folder},
    {"open-mounts", 0, open_mounts},
    {"chroot", 1, change_root},
    {"keyring", 0, keyring},
    {"bpf", 0, bpf},
    {"userfaultfd", 0, fault_handler},
    {"io-uring", 0, ring},
    {"shared-segment", 0, shared_segment},
    {"message-queue", 0, message_queue},
    {"adopt", 0, adopt},
    {"change-personality", 0, change_personality},
    {"ask-personality", 0, ask_personality},
    {"hold-process", 1, hold_process},
    {"hold-parent", 0, hold_parent},
    {"hold-itself", 0, hold_itself},
    {"hold-child", 0, hold_child},
    {"threads", 1, start_threads},
    {"threads-in-turn", 1, start_threads_in_turn},
    {"survive-parent", 0, survive_parent},
    {"fork", 0, forked},
    {"leave-session", 0, leave_session},
    {"look-at-own-thread", 1, look_at_own_thread},
    {"look-at-own-thread-in-child", 1, look_at_own_thread_in_child},
    {"look-at-process", 2, look_at_process},
    {"look-at-child", 0, look_at_child},
    {"open-no-path", 0, open_no_path},
    {"forks", 1, forks},
    {"forks-in-turn", 1, forks_in_turn},
    {"thread", 0, start_thread},
    {"memory", 1, use_memory},
    {"memory-downwards", 1, use_memory_downwards},
    {"raise-stack", 1, raise_stack},
    {"shared-memory", 1, share_memory},
    {"memory-file", 1, memory_file},
    {"raise-limit", 0, raise_limit},
    {"open-many", 1, open_many},
    {"type-for-user", 0, type_for_user},
    {"old-call", 0, old_call},
    {"x32-call", 0, x32_call},
    {"unknown-call", 0, unknown_call},
    {"capabilities", 0, capabilities},
    {"gain-privileges", 0, gain_privileges},
    {0},
};
