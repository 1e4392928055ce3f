/* A reserved field is in use. */
#include "sound.h"
#define ITEM_RESERVED { 0, 7, 0, 0 }
#include "plugin.h"
