#include "abi.h"
#include <stdlib.h>
#include <unistd.h>
ENTRY
int helper(void) { abort(); }
__attribute__((weak)) int soft(void) { exit(fork()); }
