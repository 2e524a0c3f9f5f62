#ifndef CDOCENTSHIMS_H
#define CDOCENTSHIMS_H
#endif
