#ifndef CDOCENTSHIMS_H
#define CDOCENTSHIMS_H

#include "docent_sockets.h"
#endif
