// What the documents show runs as it stands there.

import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const folder = join(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "../snippets");

for (const file of readdirSync(folder)) {
  test(file, () => {
    execFileSync(process.execPath, [join(folder, file)], { cwd: folder, stdio: "pipe" });
  });
}
