// Prints how many times as long the same work takes from JavaScript.
//
// In: words that choose rows by name. Out: ratios within one run, medians of turns. The exit status is 1 when a goal is missed.
//
// It needs the package with its feature `bench`, and `handlebars`: `cargo xtask bench` sees to both.

import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { Engine, Parser } from "promptweave";

const require = createRequire(import.meta.url);
const chosen = process.argv.slice(2).filter((word) => !word.startsWith("-"));
const addon = require(
  join(dirname(require.resolve("promptweave/package.json")), "prebuilt", `${process.platform}-${process.arch}`, "promptweave.node"),
);

/** As models send them. */
const CHUNK = 8;
const ROUNDS = 201;
const TURN_NS = 200_000;

const median = (times) => times.sort((one, other) => one - other)[times.length >> 1];

/** The nanoseconds of one call in a turn of several. */
function turn(work, repeats) {
  const begun = process.hrtime.bigint();
  for (let at = 0; at < repeats; at += 1) work();
  return Number(process.hrtime.bigint() - begun) / repeats;
}

/** How often work is done in one turn. */
function repeats(work) {
  turn(work, 50);
  let count = 1;
  while (turn(work, count) * count < TURN_NS) count *= 2;
  return count;
}

/** Measures both in turns; a function that takes a number measures itself. */
async function pair(ours, theirs) {
  const works = [ours, theirs].map((work) => {
    const time = work.length === 1 ? work : ((count) => (times) => turn(work, times ?? count))(repeats(work));
    return { time, times: [] };
  });
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { time, times } of works) times.push(time());
    // What is collected is let go of between two turns of the event loop.
    await new Promise((next) => setImmediate(next));
  }
  const [our, their] = works.map(({ times }) => median(times));
  return { our, their };
}

let missed = 0;

/** Measures a row and prints it. */
async function row(name, most, measure) {
  if (chosen.length > 0 && !chosen.some((word) => name.includes(word))) return;
  const { our, their } = await measure();
  const ratio = our / their;
  const holds = most === undefined || ratio <= most;
  missed += holds ? 0 : 1;
  const verdict = most === undefined ? "" : holds ? "ok" : "MISS";
  const goal = most === undefined ? "" : `<= ${most}`;
  const unit = `times; ${(our / 1000).toFixed(2)}µs and ${(their / 1000).toFixed(2)}µs`;
  console.error(`${name.padEnd(58)}${ratio.toFixed(2).padStart(9)} ${goal.padStart(8)}  ${verdict.padEnd(5)} ${unit}`);
}

const small = {
  model: { id: "claude-sonnet-4-5" },
  cwd: "/project",
  os: "linux",
  shell: "bash",
  home: "/home/u",
  date: "2026-01-15",
  tools: ["read_file", "write_file", "run_command"],
  user: { language: "de", rules: ["Keep it short.", "Say why."] },
};
const rules = Array.from({ length: 440 }, (_, at) => `Rule ${at}: keep it short, and say why it is so.\n`).join("");
const large = { ...small, request: { append: [rules] } };
const noisy = { ...small, request: { append: [rules.replaceAll("short", "kürzer — 短")] } };

const engine = new Engine();
const number = addon.engineNew(null, []);
const kilo = (context) => `${Math.round(Buffer.byteLength(engine.prompt(context).text) / 1000)} kB`;
const inRust = (context) => (_) => addon.benchBuild(number, JSON.stringify(context), 8);
// `length` of a function that times itself is 1.

console.error(`${"measured within one run, medians".padEnd(58)}${"measured".padStart(9)} ${"goal".padStart(8)}`);

await row(`Node, build of ${kilo(large)} / Rust build and JSON parse`, 2, () =>
  pair(() => engine.prompt(large).text, inRust(large)),
);
await row(`Node, the same with other scripts, ${kilo(noisy)}`, undefined, () =>
  pair(() => engine.prompt(noisy).text, inRust(noisy)),
);
await row(`Node, build of ${kilo(small)} / Rust build and JSON parse`, undefined, () =>
  pair(() => engine.prompt(small).text, inRust(small)),
);

const empty = () => addon.benchEmpty(3, "abcdefgh");
const files = {
  "pack.toml": "format = 1\nname = 'acme'\nversion = '1.0.0'",
  "generic.toml": "order = ['rules', 'place']",
  "components/rules.md": rules.repeat(2),
  "components/place.md": "Working folder: {{cwd}}",
};
const session = new Engine({ standard: false, packs: [{ name: "acme", files }] }).session();
const bytes = `${Math.round(session.prompt(small).text.length / 1000)} kB`;
await row(`Node, unchanged session of ${bytes} / an empty native call`, 30, () =>
  pair(() => session.prompt(small).text, empty),
);
const talk = engine.session();
await row("Node, the same with 20 kB of it in the context", 30, () => pair(() => talk.prompt(large).text, empty));

const reply = (isMixed) => addon.benchReply(isMixed, 16 * 1024);
const options = JSON.parse(addon.benchTools());

/** The time of one chunk, with its events. */
function pushes(reply) {
  const chunks = [];
  for (let at = 0; at < reply.length; at += CHUNK) chunks.push(reply.slice(at, at + CHUNK));
  let told = 0;
  return (_) => {
    const parser = new Parser(options);
    const begun = process.hrtime.bigint();
    for (const chunk of chunks) told += parser.push(chunk).length;
    const time = Number(process.hrtime.bigint() - begun) / chunks.length;
    parser.close();
    return told === 0 ? 0 : time;
  };
}

/** The same without a parser. */
function nothing(reply) {
  const chunks = [];
  for (let at = 0; at < reply.length; at += CHUNK) chunks.push(reply.slice(at, at + CHUNK));
  return (_) => {
    const begun = process.hrtime.bigint();
    for (const chunk of chunks) addon.benchEmpty(3, chunk);
    return Number(process.hrtime.bigint() - begun) / chunks.length;
  };
}

for (const [name, text, goal] of [["mixed", reply(true), 2], ["prose", reply(false), 2]]) {
  await row(`Node, ${name} reply by 8 bytes, events read / empty calls`, goal, () => pair(pushes(text), nothing(text)));
  await row(`Node, ${name} reply by 8 bytes / Rust parser`, undefined, () =>
    pair(pushes(text), (_) => addon.benchPush(JSON.stringify(options), text, CHUNK)),
  );
}

await row('require("promptweave") / require("handlebars")', 0.5, async () => {
  const times = { promptweave: [], handlebars: [] };
  const folder = dirname(fileURLToPath(import.meta.url));
  for (let round = 0; round < 61; round += 1) {
    for (const name of ["promptweave", "handlebars"]) {
      const code = `const begun = process.hrtime.bigint(); require("${name}"); console.log(Number(process.hrtime.bigint() - begun))`;
      times[name].push(Number(execFileSync(process.execPath, ["-e", code], { cwd: folder })));
    }
  }
  return { our: median(times.promptweave), their: median(times.handlebars) };
});

process.exitCode = missed === 0 ? 0 : 1;
