// What goes in and comes out, as the JSON of the command line has it.

/** The text of a prompt: a string that only a prompt gives. */
export type SystemPrompt = string & { readonly __promptweave: "SystemPrompt" };

/** What a prompt is built from: an object as `JSON.stringify` writes it, or a text of JSON that is taken as it is. */
export type Context = object | string;

/** Texts by their paths below the pack's folder. */
export interface MemoryPack {
  name: string;
  files: Record<string, string>;
}

/** What an engine is made of. */
export interface EngineOptions {
  /** Whether the standard pack is below all others; it is. */
  standard?: boolean;
  /** Packs, folders or files in memory; later ones win. */
  packs?: readonly (string | MemoryPack)[];
  /** A project: the pack in its folder `.promptweave` goes on top, as far as it is trusted. */
  project?: string;
  /** Whether the project's pack is loaded: when it is trusted, by default. */
  trust?: "if-trusted" | "always" | "never";
  /** The list of trusted projects; without it none is. */
  trust_file?: string;
  /** Files of model data by name, as texts of TOML. */
  models?: Record<string, string>;
  /** Plugins; none by default. */
  plugins?: PluginOptions;
  /** Whether the first warning is an error. */
  strict?: boolean;
}

/** Which plugins run, and where. */
export interface PluginOptions {
  /** Libraries or folders. To name one is consent to run it in a process of its own. */
  paths?: readonly string[];
  /** The folder of private copies and of what is trusted. Without it none runs. */
  data?: string;
  /** The program that a plugin runs in; by default the one of this package. */
  host?: string;
  /** Where native plugins run. */
  isolation?: "process" | "inproc" | "off";
  /** The configuration of plugins by name. */
  config?: Record<string, Record<string, unknown>>;
  /** What the word `workspace` of a manifest means. */
  workspace?: readonly string[];
  /** The user's home. */
  home?: string;
}

/** A component of the host. Variants name it by its id. */
export interface Component {
  /** Its name. */
  id: string;
  /** The context keys that it gets; without it the whole context, and it is volatile. */
  reads?: readonly string[];
  /** How often it says something else beside what it reads: `static` by default. */
  cache?: CacheClass;
  /** Why it is volatile. */
  reason?: string;
  /** A sentence about it. */
  description?: string;
  /** How long a build waits for it, in milliseconds: 1000 by default. */
  deadline_ms?: number;
  /** The text of its section; null or undefined when there is none. A promise is no text. */
  call(inputs: Record<string, any>): string | null | undefined;
}

/** How often something changes. */
export type CacheClass = "static" | "session" | "volatile";

/** Which variant a prompt is made of. */
export interface Ask {
  /** `ID`, `ID@VERSION` or `ID@LABEL`, instead of the one that matches. */
  variant?: string;
  /** The version with this label. */
  label?: string;
  /** Only variants with this tag. */
  tag?: string;
  /** The most tokens; sections go until it fits. */
  budget?: number;
}

/** How a build in the background ends early. */
export interface BackgroundOptions {
  /** Rejects the promise at once; a build that has begun ends unseen. */
  signal?: AbortSignal | undefined;
}

/** What a clock shows. */
export interface Clock {
  /** What `date` is where the context does not say, e.g. `2026-01-15`. */
  date?: string;
  /** What `time` is where the context does not say, e.g. `09:30`. */
  time?: string;
}

/** What a session begins with. */
export interface SessionOptions extends Clock {
  /** Whether probes of plugins run, once; they do. */
  probes?: boolean;
}

/** Where something comes from: a place in a file, an item of an extension, a key of the context, or the engine. */
export interface Origin {
  file?: string;
  line?: number;
  column?: number;
  extension?: string;
  item?: string;
  context?: string;
}

/** What there is to tell. */
export interface Diagnostic {
  code: string;
  severity: "note" | "warning" | "error";
  message: string;
  origin: Origin;
  help: string | null;
}

/** A context that probes have filled. */
export interface Probed {
  context: Record<string, unknown>;
  diagnostics: readonly Diagnostic[];
}

/** A section that is there. */
export interface Section {
  id: string;
  text: string;
}

/** A run of one cache scope. */
export interface Block {
  text: string;
  scope: "global" | "org" | null;
}

/** A layer of a prompt. */
export interface Layer {
  name: string;
  content: string;
  origin: Origin;
  cache: CacheClass;
  start: number;
  bytes: number;
  tokens: number;
  token_method: string;
  ms: number;
}

/** The layers of a prompt. */
export interface Layers {
  prompt: string;
  layers: Layer[];
  between: Layer[];
  skipped: SkippedSection[];
}

/** A section that is not there, and why. */
export interface SkippedSection {
  id: string;
  state: "skipped";
  reason_code: string;
  reason: string;
  origin: Origin;
}

/** A section that is there, with its weight. */
export interface IncludedSection {
  id: string;
  state: "included";
  origin: Origin;
  cache: CacheClass;
  start: number;
  end: number;
  bytes: number;
  tokens: number;
  ms: number;
  text: string;
}

/** Everything about a prompt: `promptweave schema result` describes each key. */
export interface Result {
  engine: string;
  packs: { name: string; version: string; sha256: string }[];
  prefix_sha256: string;
  variant: { id: string; version: number; family: string; level: string; why: string };
  walk: { id: string; matched: boolean; reason: string }[];
  text: string;
  static_head_bytes: number;
  session_head_bytes: number;
  sections: (IncludedSection | SkippedSection)[];
  blocks: Block[];
  user_context: string | null;
  tools: string[];
  tokens: number;
  token_method: string;
  spans: { start: number; end: number; kind: string; id: string | null; class: CacheClass; origin: Origin }[];
  hinges: { at: number; class: CacheClass; cause: string; origin: Origin }[];
  diagnostics: Diagnostic[];
  [key: string]: unknown;
}

/** How a result is written. */
export interface ResultOptions {
  /** The unit of offsets: bytes by default. */
  offsets?: "bytes" | "utf16";
}

export type * from "./payloads.cjs";
export type * from "./replies.cjs";
