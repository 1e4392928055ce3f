// Components of the host that do what they should not: each costs its section and says so.

import assert from "node:assert/strict";
import { test } from "node:test";

import { type Component, Engine } from "promptweave";

import { acme } from "./packs.mjs";

const sleep = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** An engine with the component `own`, which does that. */
function engine(call: (inputs: any) => any, more: Partial<Component> = {}): Engine {
  return new Engine(acme("'role', 'own'"), [{ id: "own", reads: [], ...more, call }]);
}

const failing: Record<string, [(engine: () => Engine) => (inputs: any) => any, RegExp]> = {
  "throws an error": [() => () => { throw new Error("boom"); }, /failed: boom/],
  "throws without words": [() => () => { throw new Error(); }, /it gave no reason/],
  "throws something": [() => () => { throw "words"; }, /failed: words/],
  "throws what cannot be read": [() => () => { throw Object.create(null); }, /it gave no reason/],
  "throws what throws": [() => () => { throw { toString() { throw 1; } }; }, /it gave no reason/],
  "never ends calling itself": [() => function again(): any { return [again()]; }, /Maximum call stack/],
  "gives a number": [() => () => 5, /neither a text nor nothing/],
  "gives an object": [() => () => ({}), /neither a text nor nothing/],
  "gives a promise": [() => async () => "later", /neither a text nor nothing/],
  "gives a promise that fails": [() => async () => { throw new Error("later"); }, /neither a text nor nothing/],
  "gives half of a character": [() => () => "\ud83e", /neither a text nor nothing/],
  "blocks": [() => () => { sleep(80); return "late"; }, /did not answer within 50 ms/],
  "calls the engine": [(own) => () => own().prompt({}).text, /called the engine that waits/],
  "calls it and goes on": [
    (own) => () => { try { own().prompt({}); } catch { /* hidden */ } return "fine"; },
    /called the engine that waits/,
  ],
  "calls a session": [(own) => () => own().session().prompt({}).text, /called the engine that waits/],
};

for (const [name, [make, message]] of Object.entries(failing)) {
  for (const way of ["prompt", "promptAsync"] as const) {
    test(`${name}: ${way}`, async () => {
      const deadline_ms = name === "blocks" ? 50 : 60_000;
      const own: Engine = engine(make(() => own), { deadline_ms });
      const prompt = await own[way]({});
      assert.equal(prompt.text, "You are a coding agent.");
      assert.deepEqual(prompt.diagnostics.map(({ code }) => code), ["component-failed"]);
      assert.match(prompt.diagnostics[0]?.message ?? "", message);
    });
  }
}

test("a component may close its engine", () => {
  const own: Engine = engine(() => (own.close(), "closed"));
  assert.equal(own.prompt({}).text, "You are a coding agent.\n\nclosed");
  assert.throws(() => own.prompt({}), { code: "handle-invalid" });
});

test("a build in the background asks components here, and a free thread is in time", async () => {
  const own = engine(({ cwd }) => `in ${cwd}`, { reads: ["cwd"], deadline_ms: 60_000 });
  const built = await Promise.all(["/a", "/b", "/c"].map((cwd) => own.promptAsync({ cwd })));
  assert.deepEqual(built.map((prompt) => prompt.section("own")), ["in /a", "in /b", "in /c"]);
});

test("a thread that is busy is not in time", async () => {
  const own = engine(() => "fine", { deadline_ms: 30 });
  const built = own.promptAsync({});
  // It begins when this turn of promises is over, and this thread sleeps before the next one of the event loop.
  await Promise.resolve().then(() => {}).then(() => sleep(1000));
  assert.match((await built).diagnostics[0]?.message ?? "", /did not answer within 30 ms/);
});

test("what a component reads is part of the class of its section", () => {
  const own = engine(({ cwd }) => cwd, { reads: ["cwd"], cache: "volatile", reason: "it may" });
  const { sections } = own.prompt({ cwd: "/a" }).result;
  assert.deepEqual(sections.map((one) => "cache" in one && one.cache), ["static", "volatile"]);
});
