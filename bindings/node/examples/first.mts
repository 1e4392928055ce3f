// The first prompt, and what can be asked of it.

import { Engine } from "promptweave";

const engine = new Engine();
const prompt = engine.prompt({ model: { id: "claude-sonnet-4-5" }, cwd: "/project", tools: ["read_file"] });

console.log(prompt.variant, prompt.text.length > 1000);
console.log(prompt.sections.slice(0, 2).map((section) => section.id));
console.log(prompt.deliver("openai-responses").body.model);
