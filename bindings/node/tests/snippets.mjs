// The examples of the documents, as programs.
//
// In: a folder of Markdown. Out: a program for each block of `js` and `ts`, for the compiler and `snippets.test.mts`.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

const [from = "", into = ""] = process.argv.slice(2);
mkdirSync(into, { recursive: true });
for (const file of readdirSync(from)) {
  const blocks = readFileSync(join(from, file), "utf8").matchAll(/^```(js|ts)\n(.*?)^```$/gms);
  let count = 0;
  for (const [, language, code = ""] of blocks) {
    const ending = language === "ts" ? "mts" : code.includes("require(") ? "cjs" : "mjs";
    writeFileSync(join(into, `${basename(file, ".md").toLowerCase()}-${(count += 1)}.${ending}`), code);
  }
  if (count === 0) throw new Error(`${file} has no example`);
}
