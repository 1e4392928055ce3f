/* flags: -Wl,-rpath,$ORIGIN:/opt/lib -Wl,--enable-new-dtags */
#include "abi.h"
ENTRY
