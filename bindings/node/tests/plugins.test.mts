// Plugins run in the program that comes with the package.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { Engine } from "promptweave";

const plugin = process.env["PROMPTWEAVE_PLUGIN"];

test("a plugin by its path", { skip: plugin === undefined }, () => {
  const data = mkdtempSync(join(tmpdir(), "promptweave-"));
  try {
    const engine = new Engine({ plugins: { paths: [plugin ?? ""], data } });
    assert.deepEqual(engine.diagnostics.filter(({ code }) => code.startsWith("plugin")), []);
    assert.deepEqual(Object.keys(engine.probe({ cwd: data }).context).includes("cwd"), true);
    engine.close();
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
});

test("a program that is not there costs the plugin", { skip: plugin === undefined }, () => {
  const data = mkdtempSync(join(tmpdir(), "promptweave-"));
  const engine = new Engine({ plugins: { paths: [plugin ?? ""], data, host: "/none" } });
  assert.equal(engine.diagnostics.some(({ code }) => code.startsWith("plugin")), true);
  assert.equal(engine.prompt({}).text.length > 0, true);
  rmSync(data, { recursive: true, force: true });
});
