#include "abi.h"
ENTRY
MANIFEST("name = \"Acme\"\nversion = 1\n")
