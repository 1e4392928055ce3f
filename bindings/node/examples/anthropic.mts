// Anthropic's own library: the body fits its types, and its stream is cut while it comes.

import Anthropic from "@anthropic-ai/sdk";
import { Engine } from "promptweave";

const engine = new Engine();
const prompt = engine.prompt({ model: { id: "claude-sonnet-4-5" }, cwd: "/project", tools: ["read_file"] });
const { headers, body } = prompt.deliver("anthropic");

const client = new Anthropic();
const stream = client.messages.stream(
  {
    model: "claude-sonnet-4-5",
    max_tokens: 1024,
    ...body,
    messages: [...body.messages, { role: "user", content: "What is in README.md?" }],
  },
  { headers },
);

async function* texts() {
  for await (const event of stream) {
    if (event.type === "content_block_delta" && event.delta.type === "text_delta") yield event.delta.text;
  }
}

const reason = () => stream.currentMessage?.stop_reason;
for await (const event of engine.parser().read(texts(), { reason })) {
  if (event.event === "closed") console.log(event.block);
}
