#ifndef ESCAPING_PROVIDER_ATTEMPTS_H
#define ESCAPING_PROVIDER_ATTEMPTS_H

struct attempt {
    const char *name;
    int arguments;
    // Negative, with errno, when it was refused.
    long (*run)(char **arguments);
};

// Each ended by one without a name.
extern const struct attempt file_attempts[];
extern const struct attempt socket_attempts[];
extern const struct attempt process_attempts[];

#endif
