// Made of the attributes in `src/` by `cargo xtask bless`.

/** What a component answered. */
export interface Answered {
  /** `text`, `nothing`, `failed` or `wrong`. */
  kind: 'text' | 'nothing' | 'failed' | 'wrong'
  /** The text, or why it failed. */
  text?: string
}

/** Calls a component by its place. */
export type Caller = (arg0: number, arg1: string) => Answered

/**
 * What a chunk changed: nothing, a number as above, a text that begins with one of the letters, or all events as a JSON
 * array. A number costs least; most chunks of a stream come to one.
 */
export type Told = number | string | undefined | null

/** The same with what a closer look shows. */
export function engineCheck(engine: number, call?: Caller | undefined | null): string

/** Lets go of an engine; its sessions and prompts live on. */
export function engineClose(engine: number): void

/** Every mistake of loading, as JSON. */
export function engineDiagnostics(engine: number): string

/** Loads packs and plugins; `declared` says what each component is. */
export function engineNew(options: string | undefined | null, declared: Array<string>): number

/** Lets the probes of plugins fill what the context does not say: the context and diagnostics, each as JSON. */
export function engineProbe(engine: number, context: string): Array<string>

/** Builds the prompt of the variant that matches the context. */
export function enginePrompt(engine: number, context: string, ask?: string | undefined | null, call?: Caller | undefined | null): number

/** The same on a thread of libuv's pool. */
export function enginePromptAsync(engine: number, context: string, ask?: string | undefined | null, call?: Caller | undefined | null): Promise<number>

/** Runs a component that was called from another thread: null when it called an engine from within. */
export function inside(run: () => Answered): Answered | null

/** Says that this thread of JavaScript ends: builds in the background do not wait for it. */
export function leave(): void

/** The blocks so far as a JSON array. */
export function parserBlocks(parser: number): string

/** Lets go of a parser. */
export function parserClose(parser: number): void

/** Ends the reply: the last events as a JSON array. */
export function parserFinish(parser: number, reason?: string | undefined | null): string

/** A parser with the tools of an engine's packs, or with those of the standard pack. */
export function parserNew(engine?: number | undefined | null, options?: string | undefined | null): number

/** Takes a chunk. */
export function parserPush(parser: number, chunk: string): Told

/** Takes a chunk that may end inside a character. */
export function parserPushBytes(parser: number, chunk: Uint8Array): Told

/** Its text in runs of one cache scope, as JSON. */
export function promptBlocks(prompt: number): string

/** Lets go of a prompt. */
export function promptClose(prompt: number): void

/** The payload for an API and what could not be kept, each as JSON. */
export function promptDeliver(prompt: number, target: string, options?: string | undefined | null): Array<string>

/** What was met while building, as JSON. */
export function promptDiagnostics(prompt: number): string

/** Its layers, as JSON. */
export function promptLayers(prompt: number): string

/** Everything about it, as JSON. */
export function promptResult(prompt: number, options?: string | undefined | null): string

/** The text of a section; null when it is not there. */
export function promptSection(prompt: number, id: string): string | null

/** The sections that are there: the id and the text of each. */
export function promptSections(prompt: number): Array<Array<string>>

/** Its text. */
export function promptText(prompt: number): string

/** The id of the variant that it was made of. */
export function promptVariant(prompt: number): string

/** Refuses a reason that no model stops for. */
export function reasonCheck(reason?: string | undefined | null): void

/** Lets go of a session; its prompts live on. */
export function sessionClose(session: number): void

/** Begins a session. */
export function sessionNew(engine: number, options?: string | undefined | null): number

/**
 * Builds the prompt of the variant that matches the context. Without a context that of the call before counts; null says
 * that the prompt is that of the call before.
 */
export function sessionPrompt(session: number, context?: string | undefined | null, ask?: string | undefined | null, call?: Caller | undefined | null): number | null

/** The same on a thread of libuv's pool. */
export function sessionPromptAsync(session: number, context: string, ask?: string | undefined | null, call?: Caller | undefined | null): Promise<number>

/** Forgets everything but the clock. */
export function sessionReset(session: number): void

/** The same, with a clock that shows what the options say. */
export function sessionResetAt(session: number, options?: string | undefined | null): void

/** Goes on with a session that was saved. */
export function sessionRestore(engine: number, saved: string, options?: string | undefined | null): number

/** The session as a text. */
export function sessionSave(session: number): string

/** The version of the library. */
export function version(): string
