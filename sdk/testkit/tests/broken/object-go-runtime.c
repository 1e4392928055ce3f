/* It looks as if a Go runtime were in it, and asks for no process of its own. */
#include "sound.h"
__attribute__((section(".go.buildinfo"), used)) static const char go[] = "Go buildinf:";
#include "plugin.h"
