#include "abi.h"
ENTRY
__attribute__((section(".go.buildinfo"), used)) static const char info[] = "\xff Go buildinf:";
