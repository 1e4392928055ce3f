// What the server answers, as `promptweave schema result` and the `--json` of the verbs describe it.
// In: nothing. Out: types. Never: code. Offsets are bytes of UTF-8; times are milliseconds.

export type CacheClass = "static" | "session" | "volatile";
export type Severity = "note" | "warning" | "error";
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** A place in a file of a pack; lines and columns count from 1. */
export interface Origin {
  file: string;
  line?: number | null;
  column?: number | null;
}

export interface Diagnostic {
  code: string;
  severity: Severity;
  message: string;
  help?: string | null;
  origin?: Origin | null;
}

export interface Included {
  id: string;
  state: "included";
  origin: Origin | null;
  cache: CacheClass;
  start: number;
  end: number;
  bytes: number;
  tokens: number;
  ms: number;
  text: string;
}

export interface Skipped {
  id: string;
  state: "skipped";
  origin?: Origin | null;
  reason_code: string;
  reason?: string | null;
}

export interface Span {
  start: number;
  end: number;
  kind: "template" | "section" | "placeholder" | "tidy";
  id: string | null;
  class: CacheClass;
  origin: Origin | null;
}

export interface Hinge {
  at: number;
  class: CacheClass;
  cause: string;
  origin?: Origin | null;
}

export interface Asked {
  id: string;
  matched: boolean;
  reason: string;
  detail?: string | null;
}

/** What `POST /v1/build` answers. */
export interface Result {
  engine: string;
  packs: { name: string; version: string; sha256: string }[];
  variant: { id: string; version: number; family: string; level: string; why: string };
  walk: Asked[];
  text: string;
  attribution: string | null;
  prefix: string | null;
  user_context: string | null;
  tokens: number;
  token_method: string;
  static_head_bytes: number;
  session_head_bytes: number;
  sections: (Included | Skipped)[];
  tools: string[];
  spans: Span[];
  hinges: Hinge[];
  diagnostics: Diagnostic[];
}

export interface BuildRequest {
  context?: JsonObject;
  model?: string;
  provider?: string;
  mode?: string;
  variant?: string;
  label?: string;
  tag?: string;
  tools?: string[];
  set?: JsonObject;
  session?: string;
  format?: string;
  max_tokens?: number;
}

/** What the machine and probes fill in. */
export interface Machine {
  context: JsonObject;
  diagnostics: Diagnostic[];
}

export interface Listed {
  id: string;
  description?: string | null;
  version?: number;
  versions?: number[];
  labels?: { [label: string]: number };
  tags?: string[];
}

export interface DiffSide {
  name: string;
  bytes: number;
  tokens: number;
  static_head_bytes: number;
  session_head_bytes: number;
  variant: { id: string; version: number };
}

export interface DiffSection {
  name: string;
  change: "same" | "changed" | "added" | "removed" | "moved";
  before: { bytes: number; tokens: number } | null;
  after: { bytes: number; tokens: number } | null;
  bytes_delta: number;
  tokens_delta: number;
  diff: string | null;
}

/** What `POST /v1/diff` answers. */
export interface Difference {
  same: boolean;
  before: DiffSide;
  after: DiffSide;
  sections: DiffSection[];
  cache: {
    apart: { cause: string; message: string } | null;
    billed_again: { bytes: number; tokens: number };
    common: { bytes: number; tokens: number };
    ends: { at: number; line: number; column: number; within: string; hinge: Hinge | null } | null;
    tools: { added: string[]; removed: string[] } | null;
  };
}

/** One cell of what `POST /v1/matrix` answers. */
export interface Cell {
  context: string;
  variant: string;
  version: number;
  matches: boolean;
  bytes: number;
  sections: number;
  static_head_bytes: number;
  warnings: number;
  missing: { id: string; reason_code: string }[];
}

export interface Payload {
  headers: { [name: string]: string };
  body: JsonObject;
}

/** A finished block of a reply. */
export interface ReplyBlock {
  type: "text" | "reasoning" | "tool_use";
  content?: string;
  partial?: boolean;
  id?: string;
  name?: string;
  params?: JsonObject;
  end?: string;
  repaired?: Json;
}

/** One event of the reply parser, as `parse --events` prints it. */
export interface ReplyEvent {
  event: string;
  index?: number;
  id?: string;
  kind?: ReplyBlock["type"];
  name?: string;
  text?: string;
  value?: Json;
  params?: JsonObject;
  why?: Json;
  end?: string;
  block?: ReplyBlock;
}
