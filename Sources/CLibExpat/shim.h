#ifndef CLIBEXPAT_SHIM_H
#define CLIBEXPAT_SHIM_H
#include <expat.h>
#endif
