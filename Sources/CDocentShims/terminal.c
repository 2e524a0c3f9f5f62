#define _GNU_SOURCE
#include "docent_terminal.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

// What a signal handler needs; written while the handlers are not installed, or by them alone.
static struct termios before;
static volatile sig_atomic_t entered;
static int descriptor;
static int wakeup;
static const char *enter_text;
static const char *leave_text;

static const int told[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH};
static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP};
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
static struct sigaction old_told[COUNT(told)];
static struct sigaction old_crashes[COUNT(crashes)];

static void put(const char *text) {
    size_t left = strlen(text);
    while (left > 0) {
        ssize_t count = write(descriptor, text, left);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return;
        text += count;
        left -= (size_t)count;
    }
}

static void restore(void) {
    put(leave_text);
    tcsetattr(descriptor, TCSADRAIN, &before);
}

static int make_raw(void) {
    struct termios raw = before;
    cfmakeraw(&raw);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    if (tcsetattr(descriptor, TCSADRAIN, &raw) != 0) return -errno;
    put(enter_text);
    return 0;
}

static void tell(int signal) {
    int saved = errno;
    unsigned char byte = (unsigned char)signal;
    // Full: enough is told already.
    ssize_t ignored = write(wakeup, &byte, 1);
    (void)ignored;
    errno = saved;
}

static void crash(int signal) {
    if (entered) restore();
    // Installed with SA_RESETHAND: this time it is the default.
    raise(signal);
}

int docent_terminal_enter(int terminal, int wake, const char *enter, const char *leave) {
    if (entered) return -EBUSY;
    if (tcgetattr(terminal, &before) != 0) return -errno;
    descriptor = terminal;
    wakeup = wake;
    enter_text = enter;
    leave_text = leave;
    // The handlers first: a signal between the two finds the terminal as it was, which is right.
    struct sigaction action = {.sa_handler = tell, .sa_flags = SA_RESTART};
    sigfillset(&action.sa_mask);
    for (size_t i = 0; i < COUNT(told); i++) sigaction(told[i], &action, &old_told[i]);
    action.sa_handler = crash;
    action.sa_flags = (int)SA_RESETHAND;
    for (size_t i = 0; i < COUNT(crashes); i++) sigaction(crashes[i], &action, &old_crashes[i]);
    entered = 1;
    int result = make_raw();
    if (result < 0) docent_terminal_leave();
    return result;
}

void docent_terminal_leave(void) {
    if (!entered) return;
    restore();
    entered = 0;
    for (size_t i = 0; i < COUNT(told); i++) sigaction(told[i], &old_told[i], NULL);
    for (size_t i = 0; i < COUNT(crashes); i++) sigaction(crashes[i], &old_crashes[i], NULL);
}

void docent_terminal_suspend(void) {
    if (!entered) return;
    restore();
    raise(SIGSTOP);
    make_raw();
}

int docent_terminal_size(int terminal, unsigned short *columns, unsigned short *rows) {
    struct winsize size;
    if (ioctl(terminal, TIOCGWINSZ, &size) != 0) return -errno;
    *columns = size.ws_col;
    *rows = size.ws_row;
    return 0;
}
