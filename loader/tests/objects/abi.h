/* As much of the ABI as the tests of files need. */
#define EXPORT __attribute__((visibility("default")))
#define ENTRY EXPORT int weave_plugin_entry_v1(const void *host, const void **out) { return -2; }
#define MANIFEST(toml) EXPORT const char weave_manifest_v1[] = toml;
