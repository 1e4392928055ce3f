// An unchanged context is not written again, and no changed one is taken for it.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";

import { Engine } from "promptweave";

import { acme } from "./packs.mjs";

const require = createRequire(import.meta.url);
const { KnownContext } = require(require.resolve("promptweave").replace("index.cjs", "known.cjs"));

/** What `JSON.stringify` writes, or nothing where it fails. */
function written(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Whether the context that wrote this, twice, is known again in that value. */
function isKnown(text: string, value: unknown): boolean {
  const known = new KnownContext(text);
  assert(known.is(text));
  return known.says(value);
}

/** Numbers that come again with the same seed: xorshift of 32 bits. */
function dice(seed: number): (sides: number) => number {
  let state = seed | 1;
  return (sides) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % sides;
  };
}

const NAMES = ["a", "b", "1", "0", "__proto__", "constructor", "toJSON", "length", "rawJSON", "\ud83e", ""];
const rawJSON = (JSON as { rawJSON?: (text: string) => unknown }).rawJSON ?? (() => "raw");
class Own {
  a = 1;
  get b() { return 2; }
}

/** Values of all kinds; few different ones, so that two are often nearly the same. */
const plain: readonly (() => unknown)[] = [
  () => 0, () => -0, () => 1, () => NaN, () => Infinity, () => 1e21, () => "", () => "a", () => "1", () => "\ud83e", () => "null",
  () => true, () => false, () => null, () => undefined, () => Symbol("a"), () => () => 1, () => 5n, () => new Date(0),
  () => new Number(1), () => new String("a"), () => new Boolean(true), () => Object.setPrototypeOf(new Number(1), Object.prototype),
  () => new Own(), () => Object.create(null), () => Object.create({ a: 1 }), () => new Map([["a", 1]]), () => /a/u, () => new Uint8Array(2),
  () => rawJSON("1"), () => Object.assign(() => 1, { toJSON: () => "a" }), () => ({ toJSON: () => 1 }), () => ({ toJSON: 1 }),
  () => [, 1], () => Object.assign([1], { a: 1 }), () => new Proxy({ a: 1 }, {}), () => new Proxy([1], {}),
  () => new Proxy({ a: 1, 0: 1 }, { ownKeys: () => ["a", "0"] }), () => ({ a: 1, 0: 1 }),
  () => Object.defineProperty({}, "a", { value: 1 }), () => Object.defineProperty({}, "a", { get: () => 1, enumerable: true }),
  () => ({ [Symbol("a")]: 1 }), () => Object.defineProperty({}, "a", { get() { throw new Error("no"); }, enumerable: true }),
];

function any(roll: (sides: number) => number, depth: number): unknown {
  const kind = roll(depth === 0 ? 2 : 5);
  if (kind < 2) return plain[roll(plain.length)]?.();
  const members = Array.from({ length: roll(4) }, () => any(roll, depth - 1));
  if (kind === 2) return members;
  const object = {};
  for (const value of members) {
    const name = NAMES[roll(NAMES.length)] ?? "";
    Object.defineProperty(object, name, { value, enumerable: roll(9) > 0, configurable: true, writable: true });
  }
  return object;
}

test("what is known would be written the same", () => {
  const roll = dice(20260115);
  let known = 0;
  for (let round = 0; round < 60_000; round += 1) {
    const text = written(any(roll, 3));
    if (text === undefined) continue;
    const others = [any(roll, 3), any(roll, 1), JSON.parse(text)];
    for (const other of others) {
      if (!isKnown(text, other)) continue;
      assert.equal(written(other), text);
      known += 1;
    }
  }
  assert(known > 10_000, `${known}`);
});

test("each kind beside each other", () => {
  for (const one of plain) {
    for (const other of plain) {
      for (const put of [(value: unknown) => value, (value: unknown) => [value], (value: unknown) => ({ a: value })]) {
        const text = written(put(one()));
        if (text !== undefined && isKnown(text, put(other()))) assert.equal(written(put(other())), text);
      }
    }
  }
});

test("plain contexts are known, whatever the objects in them are", () => {
  const context = () => ({ model: { id: "m" }, cwd: undefined, list: [1, -0, null, { a: true }], text: ["a", "b"].join("") });
  const text = JSON.stringify(context());
  assert(isKnown(text, context()));
  assert(!new KnownContext(text).says(context()), "only from the second time on");
  const polluted = Object.prototype as { toJSON?: () => number };
  polluted.toJSON = () => 1;
  try {
    assert(!isKnown(text, context()));
  } finally {
    delete polluted.toJSON;
  }
});

test("a text that is written in another way is not what an object is written as", () => {
  for (const text of ['{"a": 1}', '{"a":1e0}', '{"a":2,"a":1}', '{"\\u0061":1}']) assert(!isKnown(text, { a: 1 }));
  assert(!isKnown('{"a":12345678901234567890}', { a: 12345678901234567890 }));
  assert(isKnown('{"a":1}', { a: 1 }));
});

test("a session sees each change of the object it knows", () => {
  const session = new Engine(acme("'role', 'place'")).session();
  const context: Record<string, unknown> = { cwd: "/a", more: { list: ["x"] } };
  const said = () => session.prompt(context);
  const [first, second, third] = [said(), said(), said()];
  assert(first === second && second === third);
  context["cwd"] = "/b";
  assert.match(said().text, /\/b/);
  context["cwd"] = "/a";
  assert.match(said().text, /\/a/);
  for (let round = 0; round < 3; round += 1) said();
  assert.match(session.prompt('{"cwd": "/c"}').text, /\/c/);
  assert.match(said().text, /\/a/);
});

test("a context that builds another one while it is read", () => {
  const session = new Engine(acme("'role', 'place'")).session();
  let other: string | undefined;
  const context = {
    get cwd() {
      if (other !== undefined) session.prompt({ cwd: other });
      return "/a";
    },
  };
  for (let round = 0; round < 3; round += 1) session.prompt(context);
  other = "/b";
  assert.match(session.prompt(context).text, /\/a/);
  other = undefined;
  const last = session.prompt(context);
  assert.match(last.text, /\/a/);
  last.close();
  assert.match(session.prompt(context).text, /\/a/);
});
