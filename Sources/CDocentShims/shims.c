#include "CDocentShims.h"
