// A build on another thread, which a signal gives up.

import { Engine } from "promptweave";

const engine = new Engine();
const prompt = await engine.promptAsync({ model: { id: "claude-sonnet-4-5" } });
console.log(prompt.text.length > 1000);

const signal = AbortSignal.abort();
const given = await engine.promptAsync({}, undefined, { signal }).catch((error: Error) => error.name);
console.log(given);
