// One library for both kinds of modules, and the version of the package.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";

import * as esm from "promptweave";

const require = createRequire(import.meta.url);

test("both kinds of modules have the same classes", () => {
  const cjs: Record<string, unknown> = require("promptweave");
  const names = ["Engine", "Parser", "Prompt", "PromptweaveError", "Session", "version"];
  assert.deepEqual(Object.keys(esm).sort(), names);
  for (const name of names) assert.equal(cjs[name], (esm as Record<string, unknown>)[name]);
});

test("the package says which version it is, and runs nothing on install", () => {
  const about = require("promptweave/package.json");
  assert.equal(esm.version, about.version);
  assert.deepEqual([about.scripts, about.dependencies], [undefined, undefined]);
});

test("a prompt is a string of its own", () => {
  const text: esm.SystemPrompt = new esm.Engine().prompt({}).text;
  // @ts-expect-error any other string is none
  const other: esm.SystemPrompt = "text";
  assert.equal(typeof text, typeof other);
});
