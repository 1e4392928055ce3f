// Workers, builds in the background, signals.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker } from "node:worker_threads";

import { Engine, Parser } from "promptweave";

import { acme } from "./packs.mjs";

const sleep = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

function own(): Engine {
  const component = { id: "own", reads: ["cwd"], deadline_ms: 60_000, call: ({ cwd }: any) => `in ${cwd}` };
  return new Engine(acme("'role', 'own'"), [component]);
}

const how = process.argv[2];

if (how?.startsWith("exit")) {
  const component = { id: "own", deadline_ms: 600_000, call: () => (how === "exit-inside" ? process.exit(7) : null) };
  const engine = new Engine(acme("'role', 'own'"), [component]);
  const built = Array.from({ length: 20 }, () => engine.promptAsync({}));
  // They begin to wait before the next turn of the event loop, in which they would be answered.
  if (how === "exit") queueMicrotask(() => (sleep(100), process.exit(7)));
  await Promise.all(built);
} else if (isMainThread) {
  const file = fileURLToPath(import.meta.url);

  test("each worker has its own things", async () => {
    const workers = Array.from({ length: 8 }, () => new Worker(file));
    const said = await Promise.all(workers.map(async (worker) => (await once(worker, "message"))[0]));
    assert.deepEqual(said, Array.from({ length: 8 }, () => "fine"));
    await Promise.all(workers.map((worker) => worker.terminate()));
  });

  test("workers that end in the middle of it", async () => {
    for (let round = 0; round < 10; round += 1) {
      const worker = new Worker(file);
      await once(worker, "online");
      await new Promise((later) => setTimeout(later, round * 3));
      await worker.terminate();
    }
  });

  test("a process does not wait for components that nobody calls any more", () => {
    for (const how of ["exit", "exit-inside"]) {
      const { status } = spawnSync(process.execPath, [file, how], { timeout: 60_000 });
      assert.equal(status, 7, how);
    }
  });

  test("builds in the background are those in front", async () => {
    const engine = own();
    const built = await Promise.all(Array.from({ length: 40 }, (_, at) => engine.promptAsync({ cwd: `/${at}` })));
    assert.deepEqual(built.map((prompt) => prompt.text), built.map((_, at) => engine.prompt({ cwd: `/${at}` }).text));
  });

  test("builds in the background are of the context as it was", async () => {
    const engine = own();
    const context = { cwd: "/a" };
    const built = [engine.promptAsync(context), engine.session().promptAsync(context)];
    context.cwd = "/b";
    engine.close();
    for (const prompt of await Promise.all(built)) assert.match(prompt.text, /\/a/);
  });

  test("builds of one session wait for each other", async () => {
    const session = own().session();
    const built = ["/a", "/b", "/b"].map((cwd) => session.promptAsync({ cwd }));
    await Promise.resolve();
    assert.throws(() => session.prompt({ cwd: "/c" }), { code: "thread-wrong" });
    const [first, second, third] = await Promise.all(built);
    assert.match(first?.text ?? "", /\/a/);
    assert.match(second?.diagnostics[0]?.message ?? "", /`cwd` changed/);
    assert.equal(third?.text, second?.text);
    assert.equal(session.prompt({ cwd: "/b" }).text, second?.text);
  });

  test("errors of builds in the background", async () => {
    const engine = own();
    await assert.rejects(engine.promptAsync({}, { variant: "none" }), { code: "unknown-variant" });
    await assert.rejects(engine.promptAsync({ big: 5n }), { code: "context-invalid" });
    await assert.rejects(engine.session().promptAsync([] as object), { code: "context-invalid" });
  });

  test("signals", async () => {
    const engine = own();
    const early = AbortSignal.abort(new Error("early"));
    await assert.rejects(engine.promptAsync({}, undefined, { signal: early }), { message: "early" });
    const late = new AbortController();
    const built = engine.promptAsync({}, undefined, { signal: late.signal });
    late.abort();
    await assert.rejects(built, { name: "AbortError" });
    const session = engine.session();
    const waiting = new AbortController();
    const first = session.promptAsync({ cwd: "/a" });
    const second = session.promptAsync({ cwd: "/b" }, undefined, { signal: waiting.signal });
    waiting.abort();
    await assert.rejects(second, { name: "AbortError" });
    assert.match((await first).text, /\/a/);
    await new Promise((next) => setTimeout(next, 50));
    assert.match(session.prompt({ cwd: "/c" }).text, /\/c/);
  });
} else {
  const engine = own();
  const session = engine.session();
  for (let round = 0; round < 200; round += 1) {
    const cwd = `/${round}`;
    assert.equal(engine.prompt({ cwd }).section("own"), `in ${cwd}`);
    assert.equal((await engine.promptAsync({ cwd })).section("own"), `in ${cwd}`);
    assert.equal(session.prompt({ cwd }).section("own"), `in ${cwd}`);
    const parser = new Parser({ specs: { tools: {} } });
    assert.equal([...parser.push("text"), ...parser.finish("stop")].length, 3);
  }
  parentPort?.postMessage("fine");
}
