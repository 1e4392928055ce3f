// promptweave for Node.js: engines, sessions, prompts, payloads, the parser of replies.

import { addon } from "./native.cjs";

export { Engine } from "./engine.cjs";
export { PromptweaveError } from "./error.cjs";
export { Parser } from "./parser.cjs";
export { Prompt } from "./prompt.cjs";
export { Session } from "./session.cjs";
export type * from "./types.cjs";

/** The version of the library. */
export const version: string = addon.version();
