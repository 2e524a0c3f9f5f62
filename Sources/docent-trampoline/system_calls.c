#define _GNU_SOURCE
#include "system_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "notices.h"
#include "own_threads.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the filter reads the low half of an argument where little-endian machines have it"
#endif

#if defined(__x86_64__)
enum { ARCHITECTURE = (int)AUDIT_ARCH_X86_64 };
#elif defined(__aarch64__)
enum { ARCHITECTURE = (int)AUDIT_ARCH_AARCH64 };
#else
#error "name the architecture for the filter of system calls"
#endif

// The newest call that was looked at (mseal). What is newer is unknown, here as on an older kernel; and so is every
// call of x32, whose numbers begin far above.
enum { NEWEST_KNOWN_CALL = 462 };

// Numbers that Debian 12's headers lack, the same on all architectures.
enum {
    CALL_memfd_secret = 447,
    CALL_process_mrelease = 448,
    CALL_fchmodat2 = 452,
    CALL_statmount = 457,
    CALL_listmount = 458,
};

enum { TCP = 6, SOCKET_TYPE_MASK = 0xF, FAST_OPEN = 0x20000000 };

enum {
    NEW_NAMESPACES = 0x00000080 | CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
                     CLONE_NEWPID | CLONE_NEWNET,
};

enum { INSTRUCTIONS_MAX = 1024 };

struct program {
    struct sock_filter code[INSTRUCTIONS_MAX];
    unsigned short length;
    int is_full;
};

static void add(struct program *program, unsigned short operation, unsigned char then, unsigned char otherwise,
                unsigned value) {
    if (program->length == INSTRUCTIONS_MAX) {
        program->is_full = 1;
        return;
    }
    program->code[program->length++] =
        (struct sock_filter){.code = operation, .jt = then, .jf = otherwise, .k = value};
}

static void load_call(struct program *program) {
    add(program, BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr));
}

// The low 32 bits of an argument: all that the kernel looks at in those that are checked here.
static void load_argument(struct program *program, int index) {
    add(program, BPF_LD | BPF_W | BPF_ABS, 0, 0, (unsigned)(offsetof(struct seccomp_data, args) + 8 * (size_t)index));
}

static void answer(struct program *program, unsigned error) {
    add(program, BPF_RET | BPF_K, 0, 0, error ? SECCOMP_RET_ERRNO | error : SECCOMP_RET_ALLOW);
}

static void refuse(struct program *program, long call, unsigned error) {
    add(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, (unsigned)call);
    answer(program, error);
}

static void refuse_all(struct program *program, const short calls[], size_t count, unsigned error) {
    for (size_t index = 0; index < count; index++) refuse(program, calls[index], error);
}

// What follows holds for one call: up to `end_case`, with the answer at the end if nothing else has answered.
static unsigned short begin_case(struct program *program, long call) {
    add(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, (unsigned)call);
    return (unsigned short)(program->length - 1);
}

static void end_case(struct program *program, unsigned short begin, unsigned error) {
    answer(program, error);
    if (!program->is_full) program->code[begin].jf = (unsigned char)(program->length - begin - 1);
}

static void if_equal(struct program *program, unsigned value, unsigned error) {
    add(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, value);
    answer(program, error);
}

static void if_any_bit(struct program *program, unsigned bits, unsigned error) {
    add(program, BPF_JMP | BPF_JSET | BPF_K, 0, 1, bits);
    answer(program, error);
}

static void mask(struct program *program, unsigned bits) {
    add(program, BPF_ALU | BPF_AND | BPF_K, 0, 0, bits);
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

// Other processes, the kernel, mounts, clocks, keys: nothing a provider has to do with. The session and the group stay
// what they are, so that a signal to the group reaches everything that a provider has started.
static const short never[] = {
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_pidfd_getfd, SYS_kcmp, SYS_process_madvise,
    CALL_process_mrelease, SYS_setsid, SYS_setpgid,
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_open_tree, SYS_move_mount, SYS_fsopen, SYS_fsconfig,
    SYS_fsmount, SYS_fspick, SYS_mount_setattr, CALL_statmount, CALL_listmount, SYS_unshare, SYS_setns, SYS_swapon,
    SYS_swapoff, SYS_quotactl, SYS_quotactl_fd, SYS_acct,
    SYS_keyctl, SYS_add_key, SYS_request_key, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_fanotify_init,
    SYS_fanotify_mark, SYS_name_to_handle_at, SYS_open_by_handle_at, SYS_landlock_create_ruleset,
    SYS_reboot, SYS_kexec_load, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_syslog, SYS_vhangup,
    SYS_settimeofday, SYS_clock_settime, SYS_clock_adjtime, SYS_adjtimex, SYS_sethostname, SYS_setdomainname,
    SYS_migrate_pages, SYS_move_pages,
    // Shared with all processes of the user, by number or by name.
    SYS_shmget, SYS_shmat, SYS_shmctl, SYS_semget, SYS_semop, SYS_semctl, SYS_semtimedop, SYS_msgget, SYS_msgsnd,
    SYS_msgrcv, SYS_msgctl, SYS_mq_open, SYS_mq_unlink,
    // Landlock does not govern what is changed by a path without opening the file.
    SYS_fchmodat, CALL_fchmodat2, SYS_fchownat,
#if defined(__x86_64__)
    SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat, SYS_iopl, SYS_ioperm, SYS_modify_ldt,
    SYS_uselib, SYS_ustat, SYS_kexec_file_load,
#endif
};

static const short attributes_by_path[] = {
    SYS_setxattr, SYS_lsetxattr, SYS_getxattr, SYS_lgetxattr, SYS_listxattr, SYS_llistxattr, SYS_removexattr,
    SYS_lremovexattr,
};

// Programs have another way for when a kernel lacks these. An io_uring makes calls that no filter sees; memory in a
// file without a name counts for nobody; clone3 and openat2 have their flags where a filter cannot look.
static const short lacking[] = {
    SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register, SYS_memfd_create, CALL_memfd_secret, SYS_clone3,
    SYS_openat2,
};

static const short forking[] = {
#if defined(__x86_64__)
    SYS_fork, SYS_vfork,
#endif
};

static const short watching[] = {
    SYS_inotify_add_watch, SYS_inotify_init1,
#if defined(__x86_64__)
    SYS_inotify_init,
#endif
};

static const short attributes_by_descriptor[] = {SYS_fchmod, SYS_fchown, SYS_fsetxattr, SYS_fremovexattr};

static void sockets(struct program *program, const struct system_calls *allowed) {
    unsigned short begin = begin_case(program, SYS_socket);
    if (allowed->internet) {
        // TCP and nothing else: neither datagrams, nor those stream protocols that Landlock takes for something else.
        load_argument(program, 1);
        mask(program, SOCKET_TYPE_MASK);
        add(program, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, SOCK_STREAM);
        answer(program, EACCES);
        load_argument(program, 2);
        add(program, BPF_JMP | BPF_JEQ | BPF_K, 2, 0, 0);
        add(program, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, TCP);
        answer(program, EACCES);
        load_argument(program, 0);
        if_equal(program, AF_INET, 0);
        if_equal(program, AF_INET6, 0);
    }
    end_case(program, begin, EACCES);

    // A pair of datagram sockets could still be turned to an address.
    begin = begin_case(program, SYS_socketpair);
    load_argument(program, 0);
    add(program, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, AF_UNIX);
    answer(program, EACCES);
    load_argument(program, 1);
    mask(program, SOCKET_TYPE_MASK);
    if_equal(program, SOCK_STREAM, 0);
    if_equal(program, SOCK_SEQPACKET, 0);
    end_case(program, begin, EACCES);

    static const short serving[] = {SYS_bind, SYS_listen, SYS_accept, SYS_accept4};
    refuse_all(program, serving, COUNT(serving), EACCES);

    // Connects while it sends, past those who look at connecting.
    static const struct {
        short call, flags;
    } sending[] = {{SYS_sendto, 3}, {SYS_sendmsg, 2}, {SYS_sendmmsg, 3}};
    for (size_t index = 0; index < COUNT(sending); index++) {
        begin = begin_case(program, sending[index].call);
        load_argument(program, sending[index].flags);
        if_any_bit(program, FAST_OPEN, EOPNOTSUPP);
        end_case(program, begin, 0);
    }
}

// To itself only, for a provider that is one process; its number stays when the program is executed. Landlock scopes
// signals as well, where the kernel's does.
static void signals(struct program *program) {
    static const short to_a_process[] = {SYS_kill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo};
    for (size_t index = 0; index < COUNT(to_a_process); index++) {
        unsigned short begin = begin_case(program, to_a_process[index]);
        load_argument(program, 0);
        if_equal(program, (unsigned)getpid(), 0);
        end_case(program, begin, EPERM);
    }
    static const short to_a_thread[] = {SYS_tkill, SYS_pidfd_send_signal};
    refuse_all(program, to_a_thread, COUNT(to_a_thread), EPERM);
}

// The shepherd decides.
static void ask(struct program *program) { add(program, BPF_RET | BPF_K, 0, 0, SECCOMP_RET_USER_NOTIF); }

// Starting threads and processes.
static void starts(struct program *program, const struct system_calls *allowed, bool is_counted) {
    unsigned short begin = begin_case(program, SYS_clone);
    load_argument(program, 0);
    // A sibling would be the child of whoever watches over the provider.
    if_any_bit(program, NEW_NAMESPACES | CLONE_PARENT, EPERM);
    // Whoever forks is not made to wait (tasks.h).
    add(program, BPF_JMP | BPF_JSET | BPF_K, 1, 0, CLONE_THREAD);
    answer(program, allowed->processes ? 0 : EPERM);
    if (is_counted) ask(program);
    end_case(program, begin, 0);
    if (!allowed->processes) refuse_all(program, forking, COUNT(forking), EPERM);
}

static void processes(struct program *program, const struct system_calls *allowed) {
    if (!allowed->processes) signals(program);

    // Of the caller only: these reach every process of the user.
    unsigned short begin;
    static const short of_a_process[] = {
        SYS_prlimit64, SYS_sched_setaffinity, SYS_sched_setparam, SYS_sched_setscheduler, SYS_sched_setattr,
    };
    for (size_t index = 0; index < COUNT(of_a_process); index++) {
        begin = begin_case(program, of_a_process[index]);
        load_argument(program, 0);
        if_equal(program, 0, 0);
        end_case(program, begin, EPERM);
    }
    // The first argument of these says what the second is the number of.
    static const struct {
        short call, process;
    } of_a_kind[] = {{SYS_setpriority, 0}, {SYS_ioprio_set, 1}};
    for (size_t index = 0; index < COUNT(of_a_kind); index++) {
        begin = begin_case(program, of_a_kind[index].call);
        load_argument(program, 0);
        add(program, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, (unsigned)of_a_kind[index].process);
        answer(program, EPERM);
        load_argument(program, 1);
        if_equal(program, 0, 0);
        end_case(program, begin, EPERM);
    }

    // It is to end with the host, and what it leaves behind is the shepherd's.
    begin = begin_case(program, SYS_prctl);
    load_argument(program, 0);
    if_equal(program, PR_SET_PDEATHSIG, EPERM);
    if_equal(program, PR_SET_CHILD_SUBREAPER, EPERM);
    end_case(program, begin, 0);

    // How addresses are laid out, and what may be executed, stays as it is: it may only ask.
    begin = begin_case(program, SYS_personality);
    load_argument(program, 0);
    if_equal(program, 0xFFFFFFFF, 0);
    end_case(program, begin, EPERM);

    // A handle on the shepherd; on anybody, when there are no children that it could be for. Its own number stays when
    // the program is executed.
    begin = begin_case(program, SYS_pidfd_open);
    load_argument(program, 0);
    if_equal(program, (unsigned)(allowed->processes ? getppid() : getpid()), allowed->processes ? EPERM : 0);
    end_case(program, begin, allowed->processes ? 0 : EPERM);
}

static void files(struct program *program, const struct system_calls *allowed) {
    refuse_all(program, attributes_by_path, COUNT(attributes_by_path), EOPNOTSUPP);
    if (!allowed->attributes) {
        refuse_all(program, attributes_by_descriptor, COUNT(attributes_by_descriptor), EPERM);
    }
    if (!allowed->watching) refuse_all(program, watching, COUNT(watching), EPERM);

    unsigned short begin = begin_case(program, SYS_utimensat);
    if (allowed->attributes) {
        // Without a path it is about an open file. Both halves of the pointer.
        load_argument(program, 1);
        add(program, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 0);
        answer(program, EPERM);
        add(program, BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, args) + 8 + 4);
        if_equal(program, 0, 0);
    }
    end_case(program, begin, EPERM);

    // Signals to others when a file is ready; leases and notices.
    begin = begin_case(program, SYS_fcntl);
    load_argument(program, 1);
    static const short refused[] = {F_SETOWN, F_SETSIG, 15 /* F_SETOWN_EX */, F_SETLEASE, F_NOTIFY};
    for (size_t index = 0; index < COUNT(refused); index++) if_equal(program, (unsigned)refused[index], EPERM);
    end_case(program, begin, 0);

    // A file system's and a device's own commands do many things to what is open for reading only.
    static const unsigned commands[] = {
        0x5401 /* TCGETS */, 0x802C542A /* TCGETS2 */, 0x5413 /* TIOCGWINSZ */, 0x540F /* TIOCGPGRP */,
        0x541B /* FIONREAD */, 0x5411 /* TIOCOUTQ */, 0x5421 /* FIONBIO */, 0x5450 /* FIONCLEX */, 0x5451 /* FIOCLEX */,
        0x8905 /* SIOCATMARK */, 0x40049409 /* FICLONE */, 0x4020940D /* FICLONERANGE */,
        0xC020660B /* FS_IOC_FIEMAP */, 0x80086601 /* FS_IOC_GETFLAGS */,
    };
    begin = begin_case(program, SYS_ioctl);
    load_argument(program, 1);
    for (size_t index = 0; index < COUNT(commands); index++) if_equal(program, commands[index], 0);
    end_case(program, begin, ENOTTY);

    // Memory that is shared without a file counts for nobody; what may grow downwards counts as a stack, which
    // RLIMIT_DATA does not look at.
    begin = begin_case(program, SYS_mmap);
    load_argument(program, 3);
    if_any_bit(program, MAP_GROWSDOWN, EPERM);
    add(program, BPF_JMP | BPF_JSET | BPF_K, 1, 0, MAP_ANONYMOUS);
    answer(program, 0);
    if_any_bit(program, MAP_SHARED, EPERM);  // MAP_SHARED_VALIDATE has the same bit
    end_case(program, begin, 0);
}

// What Landlock does not see of an opening, and what may be about a thread of the program's own: the shepherd looks into
// that.
static void openings(struct program *program, const struct system_calls *allowed, bool has_listener) {
    static const struct {
        short call, flags;
    } opening[] = {
        {SYS_openat, 2},
#if defined(__x86_64__)
        {SYS_open, 1},
#endif
    };
    for (size_t index = 0; index < COUNT(opening); index++) {
        unsigned short begin = begin_case(program, opening[index].call);
        // The third way to open a file, neither for reading nor for writing: Landlock asks for no right at all, and the
        // descriptor is good enough to change modes, times and attributes.
        load_argument(program, opening[index].flags);
        mask(program, O_ACCMODE);
        if_equal(program, O_ACCMODE, EACCES);
        if (allowed->unseen_truncation) {
            // Whoever opens it for writing has shown that right.
            load_argument(program, opening[index].flags);
            mask(program, O_ACCMODE | O_TRUNC);
            if_equal(program, O_RDONLY | O_TRUNC, EACCES);
        }
        if (has_listener) {
            load_argument(program, opening[index].flags);
            mask(program, ~(unsigned)OWN_THREADS_OTHER_FLAGS);
            add(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, (unsigned)OWN_THREADS_FLAGS);
            ask(program);
        }
        end_case(program, begin, 0);
    }
    if (allowed->unseen_truncation) refuse(program, SYS_truncate, EACCES);
}

// The listener, or 0 without one; -1 with errno.
static int install(const struct system_calls *allowed, bool has_listener) {
    static struct program program;
    program.length = 0;
    add(&program, BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, arch));
    add(&program, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, (unsigned)ARCHITECTURE);
    answer(&program, ENOSYS);
    load_call(&program);
    add(&program, BPF_JMP | BPF_JGT | BPF_K, 0, 1, NEWEST_KNOWN_CALL);
    answer(&program, ENOSYS);
    refuse_all(&program, never, COUNT(never), EPERM);
    refuse_all(&program, lacking, COUNT(lacking), ENOSYS);
    sockets(&program, allowed);
    starts(&program, allowed, has_listener);
    processes(&program, allowed);
    files(&program, allowed);
    openings(&program, allowed, has_listener);
    answer(&program, 0);
    if (program.is_full) {
        errno = E2BIG;
        return -1;
    }
    struct sock_fprog filter = {.len = program.length, .filter = program.code};
    if (!has_listener) return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter);
    // Whom the shepherd is just answering is not interrupted by signals (Linux 5.19).
    unsigned flags = SECCOMP_FILTER_FLAG_NEW_LISTENER;
    int listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &filter);
    if (listener >= 0 || errno != EINVAL) return listener;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter);
}

int system_calls_filter(const struct system_calls *allowed, int *listener) {
    *listener = notices_are_possible() ? install(allowed, true) : -1;
    // Somebody who watches over the host has one already, and there can be only one.
    return *listener >= 0 ? 0 : install(allowed, false);
}
