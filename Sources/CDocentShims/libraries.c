#define _GNU_SOURCE
#include "docent_libraries.h"

#include <dlfcn.h>
#include <stddef.h>

const char *docent_library_of(const char *symbol) {
    void *address = dlsym(RTLD_DEFAULT, symbol);
    Dl_info found;
    return address != NULL && dladdr(address, &found) != 0 ? found.dli_fname : NULL;
}
