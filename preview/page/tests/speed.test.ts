// How fast a long prompt is shown, and how much the page weighs.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { close, idle, opened, serve } from "./browser.js";
import type { Server } from "./server.js";

const PROMPT_BYTES = 60_000;
const LONG_TASK_MS = 50;
const WEIGHT = 600_000;
const ROUNDS = 5;
/** The cumulative layout shift that counts as none: a fifth of what is called good. */
const MOVED = 0.02;

let server: Server;
before(async () => {
  server = await serve();
  const line =
    "- Weigh the grain of {{CWD}} before it is ground, then note the weight, the hour and the stone; do not guess.\n";
  const text = Array.from({ length: Math.ceil(PROMPT_BYTES / 115) }, (_, at) =>
    at % 20 === 0 ? `\n### Rule ${at}\n\n${line}` : line,
  );
  writeFileSync(join(server.pack, "components/rules.md"), `+++\ndescription = "many rules"\n+++\n${text.join("")}`);
  writeFileSync(join(server.pack, "careful.toml"), 'extends = "generic"\n[match]\nmodels = ["claude"]\n');
});
after(async () => {
  await close();
  server.stop();
});

interface Shown {
  /** Frames from the answer to the one that shows the new prompt, that one counted. */
  frames: number;
  /** From the answer to the frame that shows it, in milliseconds. */
  wait: number;
  longest: number;
}

/** What the browser notes by itself, in milliseconds of its clock. */
interface Seen {
  frames: number[];
  tasks: number[];
  answer: number;
  shown: number;
  done: boolean;
}

/** Runs in the page: notes when an answer has been read, each frame, and the frame that shows what is wanted. */
function watch(wanted: string): void {
  const seen: Seen = { frames: [], tasks: [], answer: 0, shown: 0, done: false };
  Object.assign(globalThis, { seen });
  new PerformanceObserver((list) => list.getEntries().forEach((one) => seen.tasks.push(one.duration))).observe({
    entryTypes: ["longtask"],
  });
  const read = Response.prototype.json;
  Response.prototype.json = async function (this: Response): Promise<unknown> {
    const value: unknown = await read.call(this);
    if (this.url.endsWith("/v1/build")) seen.answer = performance.now();
    return value;
  };
  const tick = (): void => {
    const now = performance.now();
    seen.frames.push(now);
    if (seen.shown === 0 && document.querySelector(".prompt")?.textContent?.includes(wanted)) seen.shown = now;
    seen.done = seen.shown > 0 && now > seen.shown + 300;
    if (seen.done) Response.prototype.json = read;
    else requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}

/** Edits the context, and measures from the moment at which the page has the answer. */
async function measure(page: Page, folder: string): Promise<Shown> {
  await page.evaluate(watch, folder);
  await page.locator(".setup .cm-content").click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(JSON.stringify({ model: { id: "claude-sonnet-4-5" }, cwd: folder }));
  await page.waitForFunction(() => (globalThis as unknown as { seen: Seen }).seen.done);
  const { frames, tasks, answer, shown } = await page.evaluate(() => (globalThis as unknown as { seen: Seen }).seen);
  const between = frames.filter((at) => at > answer && at <= shown);
  return { frames: between.length, wait: shown - answer, longest: Math.max(0, ...tasks) };
}

test("a new prompt of 60 kB is shown in the frame after the answer, without a long task", async () => {
  const { page, faults } = await opened(server);
  await page.waitForFunction(
    (least) => (document.querySelector(".prompt")?.textContent?.length ?? 0) > least,
    PROMPT_BYTES,
  );
  const rounds: Shown[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measure(page, `/home/mill/${round}`));
  console.log(
    rounds.map((one) => `${one.frames} frames, ${one.wait.toFixed(1)} ms, longest task ${one.longest} ms`).join("\n"),
  );
  const middle = rounds.sort((a, b) => a.wait - b.wait)[Math.floor(ROUNDS / 2)];
  assert.ok(middle !== undefined && middle.frames <= 1, "the new prompt came later than in the frame after the answer");
  assert.ok(rounds.filter((one) => one.longest <= LONG_TASK_MS).length > ROUNDS / 2, "a task took longer than 50 ms");
  assert.deepEqual(faults, []);
});

for (const width of [1280, 390]) {
  test(`nothing jumps while the page arrives, at ${width}`, async () => {
    const { page } = await opened(server, {}, { width });
    await page.addInitScript(() => {
      Object.assign(globalThis, { moved: 0 });
      const seen = globalThis as unknown as { moved: number };
      const add = (one: PerformanceEntry): void => void (seen.moved += (one as unknown as { value: number }).value);
      new PerformanceObserver((list) => list.getEntries().forEach(add)).observe({
        type: "layout-shift",
        buffered: true,
      });
    });
    await page.reload();
    await page.locator(".summary strong").waitFor();
    await idle(page);
    assert.ok((await page.evaluate(() => (globalThis as unknown as { moved: number }).moved)) < MOVED);
    await page.context().close();
  });
}

test("the page weighs at most 600 kB, compressed", () => {
  const files = readdirSync("dist", { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const weight = files.reduce((sum, one) => sum + gzipSync(readFileSync(join(one.parentPath, one.name))).length, 0);
  console.log(`the page weighs ${weight} bytes, compressed`);
  assert.ok(weight <= WEIGHT, `${weight} bytes`);
});
