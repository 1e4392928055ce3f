/* Somebody else would have to define a symbol. */
#include "sound.h"
extern weave_status nowhere(void *state, const weave_call *call);
#define CALL nowhere
#include "plugin.h"
