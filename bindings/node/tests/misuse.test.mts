// Wrong use is an error of JavaScript.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Engine, Parser, Prompt, PromptweaveError, Session } from "promptweave";

import { acme } from "./packs.mjs";

const engine = new Engine(acme("'role', 'place'"));
const any = (value: unknown): any => value;

/** A call that must throw an error of ours with this code. */
function refused(code: string, call: () => unknown): void {
  assert.throws(call, (error) => {
    assert(error instanceof PromptweaveError && error instanceof Error, String(error));
    assert.equal(error.code, code);
    assert.equal(error.name, "PromptweaveError");
    return typeof error.message === "string" && error.stack !== undefined;
  });
}

test("contexts", () => {
  const cyclic: Record<string, unknown> = {};
  cyclic["own"] = cyclic;
  let deep: unknown = 0;
  for (let at = 0; at < 100_000; at += 1) deep = [deep];
  const wrong: unknown[] = [
    undefined, null, 5, true, [], () => {}, Symbol("s"), 5n, { big: 5n }, cyclic, { deep }, "", "no JSON", "[]",
    { get own() { throw Object.assign(new Error(), { message: 5 }); } }, { get own() { throw { toString() { throw 1; } }; } },
    { lone: "\ud83e" }, { toJSON() { throw new Error("no"); } }, new Proxy({}, { ownKeys() { throw new Error("no"); } }),
  ];
  for (const context of wrong) refused("context-invalid", () => engine.prompt(any(context)));
  refused("not-utf8", () => engine.prompt('{"lone": "\ud83e"}'));
  assert.equal(engine.prompt({ cwd: undefined, more: [undefined, NaN] }).text, "You are a coding agent.");
});

test("options", () => {
  for (const options of [5, "text", [], { other: 1 }, { strict: "yes" }, { packs: 5 }, { plugins: 5 }, { n: 5n }]) {
    refused("options-invalid", () => new Engine(any(options)));
  }
  refused("options-invalid", () => engine.prompt({}, any({ variants: "x" })));
  refused("options-invalid", () => engine.session(any({ date: 5 })));
  refused("options-invalid", () => new Parser(any({ mode: "other" })));
  refused("unknown-variant", () => engine.prompt({}, { variant: "none" }));
  refused("session-invalid", () => engine.restore("no session"));
  refused("not-utf8", () => engine.restore("\ud83e"));
  refused("tools-invalid", () => new Parser(any({ specs: 5 })));
  refused("options-invalid", () => new Engine(acme(""), [any({ id: 5, call() {} })]));
});

test("types", () => {
  for (const components of [5, [5], [null], [{}], [{ id: "a" }], [{ id: "a", call: 5 }]]) {
    assert.throws(() => new Engine({}, any(components)), TypeError);
  }
  const prompt = engine.prompt({});
  assert.throws(() => prompt.section(any(5)), TypeError);
  assert.throws(() => prompt.deliver(any({})), TypeError);
  refused("target-unknown", () => prompt.deliver(any("other")));
  refused("options-invalid", () => prompt.deliver("anthropic", any({ one_hours: [] })));
  const like = [Object.create(Uint8Array.prototype), new Proxy(new Uint8Array(2), {}), new String("a")];
  for (const chunk of [5, null, undefined, {}, [], new Int16Array(2), new ArrayBuffer(2), ...like]) {
    assert.throws(() => new Parser({ specs: { tools: {} } }).push(any(chunk)), TypeError);
  }
  refused("stop-reason-unknown", () => new Parser().finish("other"));
  assert.throws(() => new Parser().finish(any(5)), TypeError);
});

test("constructors and methods that are not for everybody", () => {
  for (const kind of [Prompt, Session].map(any)) assert.throws(() => new kind(0), TypeError);
  assert.throws(() => any(Engine)(), TypeError);
  for (const method of ["prompt", "check", "close"]) {
    assert.throws(() => any(Engine.prototype)[method].call({}, {}), TypeError);
  }
  assert.throws(() => any(Parser.prototype).push.call(engine, "text"), TypeError);
});

test("use after close", async () => {
  const own = new Engine(acme("'role', 'place'"));
  const [session, parser, prompt] = [own.session(), own.parser(), own.prompt({})];
  assert.equal(prompt.text, "You are a coding agent.");
  for (const thing of [own, session, parser, prompt]) {
    thing.close();
    thing.close();
  }
  assert.equal(prompt.text, "You are a coding agent.");
  const calls = [
    () => own.prompt({}), () => own.diagnostics, () => own.check(), () => own.session(), () => own.parser(),
    () => own.restore(""), () => own.probe({}), () => session.prompt({}), () => session.reset(), () => session.save(),
    () => parser.push("a"), () => parser.push(Buffer.from("a")), () => parser.finish(), () => parser.blocks,
    () => prompt.blocks, () => prompt.result, () => prompt.deliver("anthropic"), () => prompt.section("role"),
  ];
  for (const call of calls) refused("handle-invalid", call);
  await assert.rejects(own.promptAsync({}), { code: "handle-invalid" });
  await assert.rejects(session.promptAsync({}), { code: "handle-invalid" });
  // A number that is given anew is not theirs.
  const other = new Engine(acme("'role'"));
  refused("handle-invalid", () => own.prompt({}));
  assert.equal(other.prompt({}).text, "You are a coding agent.");
});

test("what lives on when its engine is closed", () => {
  const own = new Engine(acme("'role', 'place'"));
  const [session, prompt] = [own.session(), own.prompt({ cwd: "/a" })];
  own.close();
  assert.match(prompt.text, /\/a/);
  assert.match(session.prompt({ cwd: "/b" }).text, /\/b/);
});

test("too much at once", { timeout: 120_000 }, () => {
  const huge = "a".repeat(256 * 1024 * 1024 + 1);
  refused("input-too-large", () => engine.prompt(huge));
  refused("input-too-large", () => engine.prompt({ huge }));
  refused("input-too-large", () => new Parser({ specs: { tools: {} } }).push(huge));
});

test("errors in logs", () => {
  const error = new PromptweaveError({ code: "no-variant", message: "there is none", help: "add one" });
  const { code, message, help, ...place } = JSON.parse(JSON.stringify({ error })).error;
  assert.deepEqual([code, message, help], ["no-variant", "there is none", "add one"]);
  assert.deepEqual(place, { origin: {}, file: null, span: null });
});

test("errors have their place", () => {
  const packs = [{ name: "acme", files: { "pack.toml": "format = 1\nname = 5" } }];
  assert.throws(
    () => new Engine({ standard: false, strict: true, packs }),
    (error) => {
      assert(error instanceof PromptweaveError);
      assert.equal(error.file, "acme/pack.toml");
      assert.deepEqual([error.origin.line, error.span?.[0]], [2, 18]);
      return error.help !== null;
    },
  );
});
