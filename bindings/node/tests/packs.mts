// A small pack for the tests.
//
// In: an order of sections. Out: options of an engine. Never: the standard pack.

import type { EngineOptions } from "promptweave";

/** An engine whose variant has these sections; `role` is a text, `place` reads `cwd`. */
export function acme(order: string, more: EngineOptions = {}): EngineOptions {
  const files = {
    "pack.toml": "format = 1\nname = 'acme'\nversion = '1.0.0'",
    "generic.toml": `order = [${order}]`,
    "components/role.md": "You are a coding agent.",
    "components/place.md": "{{#if cwd}}Working folder: {{cwd}}{{/if}}",
  };
  return { standard: false, packs: [{ name: "acme", files }], ...more };
}
