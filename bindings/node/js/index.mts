// The same for ECMAScript modules: one library, one set of classes.

export { Engine, Parser, Prompt, PromptweaveError, Session, version } from "./index.cjs";
export type * from "./types.cjs";
