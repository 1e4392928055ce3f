// OpenAI's own library: Responses and Chat Completions.

import OpenAI from "openai";
import { Engine } from "promptweave";

const engine = new Engine();
const prompt = engine.prompt({ model: { id: "gpt-5" }, cwd: "/project", tools: ["read_file"] });
const client = new OpenAI();

const responses = prompt.deliver("openai-responses").body;
const response = await client.responses.create({
  model: "gpt-5",
  ...responses,
  input: [...responses.input, { role: "user", content: "What is in README.md?" }],
});
console.log(response.output_text);

const chat = prompt.deliver("openai-chat").body;
const completion = await client.chat.completions.create({
  model: "gpt-5",
  ...chat,
  messages: [...chat.messages, { role: "user", content: "What is in README.md?" }],
});
console.log(completion.choices[0]?.message.content);
