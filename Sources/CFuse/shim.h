#ifndef CFUSE_SHIM_H
#define CFUSE_SHIM_H
// The newest interface that the libfuse of Debian 12 has.
#define FUSE_USE_VERSION 314
#include <fuse_lowlevel.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#endif
