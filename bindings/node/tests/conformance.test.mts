// The cases of `tests/conformance`, run by the package as it is installed.
//
// In: the JSON of each case. Out: the same bytes, diagnostics and errors as in every other language. A new case needs no code.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { Engine, Parser, type Component, type Prompt, PromptweaveError, type Session } from "promptweave";

type Json = any;

const folder = process.env["PROMPTWEAVE_CASES"];
assert(folder !== undefined, "PROMPTWEAVE_CASES names the folder of the cases");
process.chdir(folder);
const cases = readdirSync(".").filter((name) => name.endsWith(".json"));
assert(cases.length >= 30, `${cases.length} cases`);

for (const name of cases) {
  test(name, () => {
    const given: Json = JSON.parse(readFileSync(name, "utf8"));
    let world: World;
    try {
      world = new World(given);
    } catch (error) {
      assert.deepEqual(told(error), given.engine_gives);
      return;
    }
    for (const step of given.steps ?? []) {
      assert.deepEqual(gives(() => world.step(step)), step.gives, JSON.stringify(step));
    }
  });
}

function gives(ask: () => Json): Json {
  try {
    return steady(ask());
  } catch (error) {
    return told(error);
  }
}

function told(error: unknown): Json {
  if (!(error instanceof PromptweaveError)) throw error;
  const { code, message, origin, help } = error;
  return { error: { code, message, origin, help } };
}

/** Times count as 0. */
function steady(json: Json): Json {
  return JSON.parse(JSON.stringify(json), (key, value) => (key === "ms" ? 0 : value));
}

/** What the steps of a case have made so far. */
class World {
  readonly engine: Engine;
  session: Session | undefined;
  prompt!: Prompt;
  parser!: Parser;

  constructor(given: Json) {
    const own: { engine?: Engine } = {};
    const components = (given.components ?? []).map((one: Json) => component(one, own));
    this.engine = own.engine = new Engine(given.engine, components);
  }

  step(step: Json): Json {
    const json = (json: Json) => ({ json });
    switch (step.do) {
      case "engine-diagnostics": return json(this.engine.diagnostics);
      case "check": return json(this.engine.check());
      case "text": return { text: this.prompt.text };
      case "section": return { text: this.prompt.section(step.id) };
      case "result": return json(step.options ? this.prompt.resultWith(step.options) : this.prompt.result);
      case "blocks": return json(this.prompt.blocks);
      case "layers": return json(this.prompt.layers);
      case "diagnostics": return json(this.prompt.diagnostics);
      case "deliver": {
        const { headers, body, diagnostics } = this.prompt.deliver(step.target, step.options);
        return json({ payload: { headers, body }, diagnostics });
      }
      case "push": return json(this.push(step));
      case "finish": return json(this.parser.finish(step.reason));
      case "parsed": return json(this.parser.blocks);
    }
    this.make(step);
    return { nothing: true };
  }

  make(step: Json): void {
    switch (step.do) {
      case "build":
        this.prompt = (this.session ?? this.engine).prompt(step.context_text ?? step.context, step.ask);
        return;
      case "session":
        this.session = this.engine.session(step.options);
        return;
      case "reset":
        this.session?.reset(step.options);
        return;
      case "save-restore":
        this.session = this.engine.restore(this.session?.save() ?? "");
        return;
      case "restore":
        this.session = this.engine.restore(step.saved);
        return;
      case "parser":
        this.parser = step.of === "standard" ? new Parser(step.options) : this.engine.parser(step.options);
        return;
    }
    assert.fail(`\`${step.do}\` is no step`);
  }

  push(step: Json): Json {
    const bytes = step.hex === undefined ? Buffer.from(step.chunk) : Buffer.from(step.hex, "hex");
    const every = step.every ?? Math.max(bytes.length, 1);
    const all = [];
    for (let at = 0; at < bytes.length; at += every) {
      const chunk = bytes.subarray(at, at + every);
      // What is text is given as text.
      const text = chunk.toString();
      all.push(...this.parser.push(Buffer.from(text).equals(chunk) ? text : chunk));
    }
    return all;
  }
}

/** A component with one of the behaviours. */
function component(one: Json, own: { engine?: Engine }): Component {
  let calls = 0;
  const behaviours: Record<string, (inputs: Json) => Json> = {
    echo: (inputs) => JSON.stringify(inputs),
    greets: () => "hello",
    nothing: () => undefined,
    counts: () => `call ${(calls += 1)}`,
    throws: () => {
      throw new Error("boom");
    },
    "wrong-type": () => 5,
    blocks: () => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
      return "late";
    },
    reenters: () => {
      try {
        own.engine?.prompt({});
        return "built";
      } catch {
        return "refused";
      }
    },
  };
  const call = behaviours[one.behaviour];
  assert(call !== undefined, `\`${one.behaviour}\` is no behaviour`);
  return { ...one.declared, call };
}
