/* Tells which Linux distribution this is: a probe reads the world, a component reads what the probe found.
 *
 * In: /etc/os-release; the context key `distribution`. Out: a JSON string; one line of text.
 * Never: lets an exception out; each call stands in a weave_guard.
 */
#include <fstream>
#include <stdexcept>
#include <string>

#include "promptweave.h"

namespace {

weave_status put(const weave_call *call, const std::string &text) {
  return weave_write(call, text.data(), text.size());
}

std::string json(const std::string &text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + '"';
}

/* The file's values may stand in quotes. */
std::string pretty_name(std::istream &file) {
  const std::string key = "PRETTY_NAME=";
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, key.size(), key) != 0) continue;
    std::string value = line.substr(key.size());
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
      value = value.substr(1, value.size() - 2);
    return value;
  }
  throw std::runtime_error("no PRETTY_NAME");
}

/* No such file: the key stays as it is. A file without a name: the exception ends in the guard. */
weave_status probe(void *, const weave_call *call) {
  return weave_guard(call, [&]() -> weave_status {
    std::ifstream file("/etc/os-release");
    if (!file) return WEAVE_NOTHING;
    return put(call, json(pretty_name(file)));
  });
}

const weave_str key = WEAVE_STR("distribution");

weave_status component(void *, const weave_call *call) {
  return weave_guard(call, [&]() -> weave_status {
    weave_value found;
    const weave_status status = weave_get(call, key, &found);
    if (status != WEAVE_OK) return status;
    if (found.kind == WEAVE_VAL_NULL) return WEAVE_NOTHING;
    if (found.kind != WEAVE_VAL_STRING) throw std::invalid_argument("no string");
    return put(call, "The system is " + std::string(found.text.ptr, found.text.len) + ".\n");
  });
}

const weave_item items[] = {
  {sizeof(weave_item), WEAVE_KIND_PROBE, WEAVE_STR("os_release"),
   WEAVE_STR("Reads the distribution's name"), nullptr, 0, WEAVE_CACHE_SESSION, {nullptr, 0},
   WEAVE_STR("distribution"), probe, nullptr, 0, 0, {0, 0, 0, 0}},
  {sizeof(weave_item), WEAVE_KIND_COMPONENT, WEAVE_STR("distribution"),
   WEAVE_STR("Names the distribution"), &key, 1, WEAVE_CACHE_SESSION, {nullptr, 0},
   {nullptr, 0}, component, nullptr, 0, 0, {0, 0, 0, 0}},
};

const weave_plugin plugin = {
  sizeof(weave_plugin), WEAVE_ABI_MAJOR, WEAVE_ABI_MINOR, 0, 0, WEAVE_PLUGIN_THREAD_SAFE,
  WEAVE_STR("acme-distribution"), WEAVE_STR("0.1.0"), WEAVE_STR("Tells which distribution this is"),
  {nullptr, 0}, {nullptr, 0}, items, sizeof items / sizeof items[0], sizeof(weave_item),
  nullptr, nullptr, {0, 0, 0, 0, 0, 0},
};

} // namespace

WEAVE_EXPORT weave_status weave_plugin_entry_v1(const weave_host_api *host, const weave_plugin **out) {
  if (host->abi_major != WEAVE_ABI_MAJOR) return WEAVE_E_VERSION;
  *out = &plugin;
  return WEAVE_OK;
}
