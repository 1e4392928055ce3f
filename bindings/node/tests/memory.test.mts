// Memory that does not grow, without a `close` anywhere.
//
// PROMPTWEAVE_COUNT is the number of builds; there are a tenth as many parsers.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Engine, Parser } from "promptweave";

import { acme } from "./packs.mjs";

const count = Number(process.env["PROMPTWEAVE_COUNT"] ?? 40_000);
const MOST_MB = 64;

const turn = () => new Promise((next) => setImmediate(next));
const resident = () => process.memoryUsage.rss() / 1024 / 1024;

/** Does it so often, and says by how much memory has grown since the first tenth. */
async function growth(name: string, times: number, once: (at: number) => void): Promise<number> {
  let before = 0;
  for (let at = 0; at < times; at += 1) {
    once(at);
    // As a program does that waits for something: what is collected is let go of between two turns.
    if (at % 100 === 99) await turn();
    if (at === Math.floor(times / 10)) before = resident();
  }
  const after = resident();
  console.log(`${times} ${name}: ${before.toFixed(0)} MB after the first tenth, ${after.toFixed(0)} MB at the end`);
  return after - before;
}

test("builds", { timeout: 3_600_000 }, async () => {
  const engine = new Engine(acme("'role', 'own', 'place'"), [{ id: "own", reads: ["at"], call: ({ at }) => `round ${at}` }]);
  const grown = await growth("builds", count, (at) => {
    const prompt = engine.prompt({ cwd: "/project", at });
    assert.equal(prompt.text.length > 40, true);
  });
  assert(grown < MOST_MB, `${grown} MB`);
});

test("sessions that go on", { timeout: 3_600_000 }, async () => {
  const session = new Engine(acme("'role', 'place'")).session();
  const grown = await growth("prompts of a session", count / 4, (at) => {
    assert.equal(session.prompt({ cwd: `/project/${at % 7}` }).text.length > 40, true);
  });
  assert(grown < MOST_MB, `${grown} MB`);
});

test("parsers", { timeout: 3_600_000 }, async () => {
  const options = { specs: { tools: { read: { params: { path: "scalar" } } } } };
  const grown = await growth("parsers", count / 10, () => {
    const parser = new Parser(options);
    parser.push("I look.\n<read><pa");
    assert.equal(parser.push("th>a.md</path></read>").length > 0, true);
    parser.finish("end_turn");
  });
  assert(grown < MOST_MB, `${grown} MB`);
});

test("a loop that never ends its turn closes what it is done with", () => {
  const engine = new Engine(acme("'role', 'place'"));
  const before = resident();
  for (let at = 0; at < count / 4; at += 1) {
    const prompt = engine.prompt({ cwd: "/project", at });
    assert.equal(prompt.text.length > 40, true);
    prompt.close();
  }
  assert(resident() - before < MOST_MB);
});
