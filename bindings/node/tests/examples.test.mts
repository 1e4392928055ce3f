// The examples say what they should, and what they send is the payload.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { Engine } from "promptweave";

import { provider } from "./loopback.mjs";

const folder = fileURLToPath(new URL("../examples", import.meta.url));
const server = await provider();
after(() => server.close());
before(() => assert(existsSync(folder)));

async function run(name: string): Promise<string> {
  const environment = {
    ...process.env,
    ANTHROPIC_API_KEY: "none",
    OPENAI_API_KEY: "none",
    OPENAI_BASE_URL: `${server.url}/v1`,
    ANTHROPIC_BASE_URL: name === "vercel" ? `${server.url}/v1` : server.url,
    AI_SDK_LOG_WARNINGS: "false",
  };
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, `${name}.mjs`)], { env: environment });
  return stdout;
}

const expected: Record<string, string> = {
  first: "claude true\n[ 'identity', 'working' ]\nclaude-sonnet-4-5\n",
  session:
    "true\nYou are a coding agent.\n\nWorking folder: /b\n" +
    "session-recomputed: `cwd` changed: section `place` was computed anew, and 18 bytes from there on are billed again\ntrue\n",
  stream: "I look at the file.\nread_file({\"path\":\"src/main.rs\"})\n",
  background: "true\nAbortError\n",
};

for (const [name, text] of Object.entries(expected)) {
  test(name, async () => assert.equal(await run(name), text));
}

/** Runs an example, and gives what it said and the bodies that it sent. */
async function sent(name: string): Promise<{ said: string; bodies: any[] }> {
  server.asked.length = 0;
  const said = await run(name);
  return { said, bodies: server.asked.map((one) => one.body) };
}

function installed(library: string): boolean {
  try {
    createRequire(import.meta.url).resolve(library);
    return true;
  } catch {
    console.error(`${library} is not installed: \`cargo xtask sdks\` does that`);
    return false;
  }
}

const context = { model: { id: "claude-sonnet-4-5" }, cwd: "/project" };

test("anthropic", { skip: !installed("@anthropic-ai/sdk") }, async () => {
  const { said, bodies } = await sent("anthropic");
  assert.match(said, /name: 'read_file',\n {2}params: \{ path: 'README.md' \},\n {2}partial: false,\n {2}end: 'text'/);
  const { body } = new Engine().prompt({ ...context, tools: ["read_file"] }).deliver("anthropic");
  assert.deepEqual(bodies[0].system, body.system);
  assert.deepEqual(bodies[0].tools, body.tools);
});

test("openai", { skip: !installed("openai") }, async () => {
  const { said, bodies } = await sent("openai");
  assert.equal(said, "a response\na completion\n");
  const prompt = new Engine().prompt({ ...context, model: { id: "gpt-5" }, tools: ["read_file"] });
  assert.equal(bodies[0].instructions, prompt.deliver("openai-responses").body.instructions);
  assert.deepEqual(bodies[0].tools, prompt.deliver("openai-responses").body.tools);
  assert.deepEqual(bodies[1].messages[0], prompt.deliver("openai-chat").body.messages[0]);
});

test("vercel", { skip: !installed("ai") }, async () => {
  const { said, bodies } = await sent("vercel");
  assert.equal(said, "a message\n");
  assert.deepEqual(bodies[0].system, new Engine().prompt(context).deliver("anthropic").body.system);
});
