// Vercel's AI SDK: the blocks of the prompt with their marks for the cache.

import { createAnthropic } from "@ai-sdk/anthropic";
import { generateText, type SystemModelMessage } from "ai";
import { Engine } from "promptweave";

const engine = new Engine();
const prompt = engine.prompt({ model: { id: "claude-sonnet-4-5" }, cwd: "/project" });

const system = prompt.deliver("anthropic").body.system.map(
  ({ text, cache_control }): SystemModelMessage => ({
    role: "system",
    content: text,
    ...(cache_control && { providerOptions: { anthropic: { cacheControl: { ...cache_control } } } }),
  }),
);

const anthropic = createAnthropic();
const { text } = await generateText({
  model: anthropic("claude-sonnet-4-5"),
  system,
  prompt: "What is in README.md?",
});
console.log(text);
