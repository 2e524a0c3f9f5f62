// The system calls that swift-system lacks, one header a family.
//
// Every function returns what the call returns, or the negative error number. Calls that a signal interrupts are
// repeated here, so that no caller has to.
#ifndef CDOCENTSHIMS_H
#define CDOCENTSHIMS_H

#include "docent_attributes.h"
#include "docent_copying.h"
#include "docent_daemon.h"
#include "docent_entries.h"
#include "docent_landlock.h"
#include "docent_libraries.h"
#include "docent_limits.h"
#include "docent_listing.h"
#include "docent_locks.h"
#include "docent_paths.h"
#include "docent_polling.h"
#include "docent_processes.h"
#include "docent_sockets.h"
#include "docent_standard_streams.h"
#include "docent_status.h"
#include "docent_terminal.h"
#include "docent_watching.h"

#endif
