// Asks a gateway by the official library, and prints what came of each case.
//
// In: the gateway's address and token as arguments, cases as JSON lines on standard input. Out: a JSON line for each case.

import { createInterface } from "node:readline";
import Anthropic from "@anthropic-ai/sdk";

const [baseURL, apiKey] = process.argv.slice(2);
const client = new Anthropic({ baseURL, apiKey, maxRetries: 0, timeout: 20_000 });

function block(found) {
  const kept = { type: found.type };
  for (const key of ["text", "thinking", "name", "input"]) {
    if (found[key] !== undefined && found[key] !== null) kept[key] = found[key];
  }
  return kept;
}

function message(found) {
  return {
    model: found.model,
    content: found.content.map(block),
    stop_reason: found.stop_reason,
    input_tokens: found.usage.input_tokens,
    output_tokens: found.usage.output_tokens,
  };
}

function asked(each) {
  const keys = ["model", "messages", "max_tokens", "tools", "thinking"];
  return Object.fromEntries(keys.filter((key) => key in each).map((key) => [key, each[key]]));
}

async function run(each) {
  if (each.how === "message") return message(await client.messages.create(asked(each)));
  if (each.how === "count") {
    const { max_tokens: _, ...request } = asked(each);
    return { input_tokens: (await client.messages.countTokens(request)).input_tokens };
  }
  if (each.how === "models") {
    const models = [];
    for await (const model of client.models.list()) models.push(model.id);
    return { models };
  }
  const stream = client.messages.stream(asked(each));
  let blocks = 0;
  for await (const event of stream) blocks += event.type === "content_block_start" ? 1 : 0;
  return { ...message(await stream.finalMessage()), blocks };
}

for await (const line of createInterface({ input: process.stdin })) {
  let said;
  try {
    said = await run(JSON.parse(line));
  } catch (error) {
    if (!(error instanceof Anthropic.APIError)) throw error;
    // An error in the middle of a stream has no status of its own.
    const body = error.error ?? {};
    said = { status: error.status ?? 200, error: body.error?.type ?? null };
    said.request_id = String(body.request_id ?? "").startsWith("req_");
  }
  console.log(JSON.stringify(said));
}
