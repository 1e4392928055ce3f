/* flags: -Wl,-rpath,lib:$ORIGIN -Wl,-z,execstack */
#include "abi.h"
ENTRY
