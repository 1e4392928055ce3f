// The types of the native half, from what its attributes wrote while it was compiled.
//
// In: the lines of napi-derive, the file that is kept. Out: whether they say the same; with `bless` the file is written anew.

import { readFileSync, writeFileSync } from "node:fs";

const [lines = "", kept = "", bless] = process.argv.slice(2);

/** @type {Map<string, { kind: string, name: string, js_doc: string, def: string }>} */
const all = new Map();
for (const line of readFileSync(lines, "utf8").trim().split("\n")) {
  const one = JSON.parse(line);
  all.set(one.name, one);
}
const parts = [...all.values()].sort((one, other) => (one.name < other.name ? -1 : 1)).map(written);
const text = `// Made of the attributes in \`src/\` by \`cargo xtask bless\`.\n\n${parts.join("\n")}`;

if (bless === "bless") writeFileSync(kept, text);
else if (readFileSync(kept, "utf8") !== text) {
  console.error(`${kept} is stale; \`cargo xtask bless\` writes it`);
  process.exitCode = 1;
}

/** @param {{ kind: string, name: string, js_doc: string, def: string }} one */
function written({ kind, name, js_doc: doc, def }) {
  switch (kind) {
    case "interface": return `${doc}export interface ${name} {\n  ${def.replaceAll("\n", "\n  ")}\n}\n`;
    case "type": return `${doc}export type ${name} = ${def}\n`;
    default: return `${doc}export ${def}\n`;
  }
}
