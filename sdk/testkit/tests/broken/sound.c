/* Nothing is wrong with it. */
#include "sound.h"
WEAVE_MANIFEST(
  "name = \"broken\"\nversion = \"1.0.0\"\nabi = \"1.0\"\n"
  "[[component]]\nid = \"note\"\ncache = \"session\"\ndeps = [\"cwd\", \"git.branch\"]\n");
#include "plugin.h"
