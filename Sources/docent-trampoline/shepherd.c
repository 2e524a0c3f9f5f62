#define _GNU_SOURCE
#include "shepherd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "notices.h"
#include "program.h"
#include "sandbox.h"

enum { KILL_ALL = SIGUSR1 };

struct flock_of {
    pid_t provider;
    // Readable when the host is gone.
    int host;
    int signals;
    // Brings the listener of the provider's filter, if there is one; then the listener itself. -1 when there is neither.
    int channel;
    bool has_listener;
    // What a sandbox grants of the provider's own folder in /proc; -1 where there is none.
    int own_files[SANDBOX_OWN_FILES];
    struct tasks tasks;
    bool provider_has_ended;
    // Of its end, as waitpid has it.
    int status;
    // Everything is to go.
    bool is_ending;
};

static void fail(const char *what) {
    fprintf(stderr, "docent-trampoline: %s: %s\n", what, strerror(errno));
    _exit(EXIT_SETUP);
}

static int signal_by(int process, int number) {
    return (int)syscall(SYS_pidfd_send_signal, process, number, NULL, 0);
}

// Zero when it is gone.
static pid_t parent_of(pid_t process) {
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    FILE *file = fopen(path, "re");
    if (!file) return 0;
    char line[256];
    size_t length = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[length] = 0;
    // A program's name may have any characters in it; what comes after it has no brackets.
    const char *name_end = strrchr(line, ')');
    int parent;
    return name_end && sscanf(name_end + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

// A descriptor of a process that was listed among the children of another, or -1 when it is not one any more: by the time
// that a number is used it may be a stranger's.
static int open_child(pid_t child, pid_t parent, int parent_process) {
    int process = (int)syscall(SYS_pidfd_open, child, 0);
    if (process < 0) return -1;
    // Ours, whoever may look into what /proc has of it.
    siginfo_t ended;
    if (waitid(P_PIDFD, (id_t)process, &ended, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0) return process;
    // Asked in this order: what the descriptor is of has that parent, or has ended; and the parent's number was its own still.
    pid_t now = parent_of(child);
    if (now == getpid() || (now == parent && parent_process >= 0 && signal_by(parent_process, 0) == 0)) return process;
    close(process);
    return -1;
}

// The direct children of a process; each kills its own first, so that few of them are left to be adopted one by one.
// A process that is gone meanwhile has no children file, and what it had is ours by then.
static void kill_children_of(pid_t parent, int parent_process, int depth) {
    // Of its first thread only: the children of the others are ours once it is dead, and found in the next round.
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
    FILE *file = fopen(path, "re");
    if (!file) return;
    int child;
    while (fscanf(file, "%d", &child) == 1) {
        if (child <= 1) continue;
        int process = open_child(child, parent, parent_process);
        if (process < 0) continue;
        if (depth < 8) kill_children_of(child, process, depth + 1);
        signal_by(process, SIGKILL);
        close(process);
    }
    fclose(file);
}

// Takes in whoever has ended. Returns false when there is no child left at all.
static bool reap(struct flock_of *flock) {
    for (;;) {
        siginfo_t ended = {0};
        if (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT | __WALL) != 0) {
            if (errno == EINTR) continue;
            return false;
        }
        pid_t child = ended.si_pid;
        if (child == 0) return true;
        // All of its group at once, while the number is still its own: what forks faster than it is found does not get
        // away, as a fork fails for whom a signal waits.
        if (child == flock->provider) kill(-child, SIGKILL);
        int status;
        while (waitpid(child, &status, __WALL) < 0 && errno == EINTR) {
        }
        if (child != flock->provider) continue;
        flock->provider_has_ended = true;
        flock->status = status;
        flock->is_ending = true;
    }
}

static void take_signals(struct flock_of *flock) {
    struct signalfd_siginfo info;
    while (read(flock->signals, &info, sizeof info) == (ssize_t)sizeof info) {
        switch (info.ssi_signo) {
        case SIGTERM:
        case SIGINT:
        case SIGHUP:
            // Not once it was reaped: the number may be a stranger's then.
            if (!flock->provider_has_ended) kill(-flock->provider, (int)info.ssi_signo);
            break;
        case KILL_ALL:
            flock->is_ending = true;
            break;
        default:
            break;
        }
    }
}

// What the provider's filter has to say.
static void take_notice(struct flock_of *flock, short events) {
    if (events == 0) return;
    if (flock->has_listener && (events & POLLIN) != 0) {
        notices_answer(flock->channel, &flock->tasks);
        return;
    }
    int listener = flock->has_listener ? -1 : notices_receive(flock->channel);
    close(flock->channel);
    flock->channel = listener;
    flock->has_listener = true;
}

// Ends as the provider ended, so that whoever waits for us sees that.
static _Noreturn void relay(const struct flock_of *flock) {
    if (flock->provider_has_ended && WIFSIGNALED(flock->status)) {
        int number = WTERMSIG(flock->status);
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        docent_restore_signals();
        sigset_t only;
        sigemptyset(&only);
        sigaddset(&only, number);
        kill(getpid(), number);
        sigprocmask(SIG_UNBLOCK, &only, NULL);
        _exit(128 + number);
    }
    _exit(flock->provider_has_ended ? WEXITSTATUS(flock->status) : EXIT_SETUP);
}

static _Noreturn void watch(struct flock_of *flock) {
    for (;;) {
        bool has_children = reap(flock);
        if (!has_children) relay(flock);
        if (flock->is_ending) {
            if (!flock->provider_has_ended) kill(-flock->provider, SIGKILL);
            kill_children_of(getpid(), -1, 0);
        }
        struct pollfd entries[] = {
            {.fd = flock->signals, .events = POLLIN},
            {.fd = flock->is_ending ? -1 : flock->host, .events = POLLIN},
            {.fd = flock->is_ending ? -1 : flock->channel, .events = POLLIN},
        };
        // What we killed takes a moment, and what it had comes to us without a signal.
        int patience = flock->is_ending ? 1 : flock->tasks.is_alone ? -1 : TASKS_INTERVAL;
        if (poll(entries, 3, patience) < 0 && errno != EINTR) flock->is_ending = true;
        if (!flock->is_ending && tasks_are_too_many(&flock->tasks)) flock->is_ending = true;
        if (entries[1].revents) flock->is_ending = true;
        take_notice(flock, entries[2].revents);
        take_signals(flock);
    }
}

// A rule of Landlock is about an inode, and the kernel makes those of /proc anew once it has forgotten the name, as it does
// when memory is short: the provider could not see its arguments any more. While somebody has the name open it stays.
static void hold_own_files(struct flock_of *flock) {
    for (unsigned index = 0; index < SANDBOX_OWN_FILES; index++) {
        char path[32];
        snprintf(path, sizeof path, "/proc/%d/%s", (int)flock->provider, sandbox_own_files[index]);
        flock->own_files[index] = open(path, O_PATH | O_CLOEXEC);
    }
}

// The provider's pipes must end when it ends, or closes them; the shepherd keeps only its standard error, what it watches,
// and what it holds.
static void let_go_of_pipes(const struct flock_of *flock) {
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0) fail("/dev/null");
    int kept[3 + SANDBOX_OWN_FILES] = {flock->host, flock->signals, flock->channel};
    int count = 3;
    for (unsigned index = 0; index < SANDBOX_OWN_FILES; index++) {
        if (flock->own_files[index] >= 0) kept[count++] = flock->own_files[index];
    }
    for (int index = 1; index < count; index++) {
        for (int place = index; place > 0 && kept[place - 1] > kept[place]; place--) {
            int larger = kept[place - 1];
            kept[place - 1] = kept[place];
            kept[place] = larger;
        }
    }
    docent_close_descriptors_but(kept, (unsigned)count);
}

void docent_shepherd(pid_t host, unsigned processes, int (*become)(void *, int), void *context) {
    // Blocked before anything can end, and looked at by descriptor.
    sigset_t all;
    sigfillset(&all);
    if (sigprocmask(SIG_SETMASK, &all, NULL) != 0) fail("sigprocmask");
    docent_restore_signals();
    int signals = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals < 0) fail("signalfd");
    // Not the parent-death signal, which comes when the thread ends that made us.
    int parent = (int)syscall(SYS_pidfd_open, host, 0);
    int error = errno;
    // Asked afterwards: a number that was handed on meanwhile is not our parent's.
    if (getppid() != host) {
        fprintf(stderr, "docent-trampoline: the host (process %d) is gone\n", (int)host);
        _exit(EXIT_SETUP);
    }
    errno = error;
    if (parent < 0) fail("pidfd_open");
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) fail("prctl(PR_SET_CHILD_SUBREAPER)");

    int channel[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel) != 0) fail("socketpair");
    pid_t shepherd = getpid();
    pid_t provider = fork();
    if (provider < 0) fail("fork");
    if (provider == 0) {
        // Should the shepherd be killed, the provider goes too, and what it leaves goes to the host.
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) fail("prctl(PR_SET_PDEATHSIG)");
        if (getppid() != shepherd) _exit(EXIT_SETUP);
        if (setsid() < 0) fail("setsid");
        // Not before the shepherd holds what is granted.
        char byte;
        while (read(channel[1], &byte, 1) < 0 && errno == EINTR) {
        }
        _exit(become(context, channel[1]));
    }
    prctl(PR_SET_NAME, "docent-shepherd");
    struct flock_of flock = {
        .provider = provider,
        .host = parent,
        .signals = signals,
        .channel = channel[0],
        .tasks = {.provider = provider, .limit = TASKS_OF_A_PROVIDER + processes, .is_alone = processes == 0},
    };
    hold_own_files(&flock);
    if (write(channel[0], "", 1) != 1) fail("write");
    let_go_of_pipes(&flock);
    watch(&flock);
}
