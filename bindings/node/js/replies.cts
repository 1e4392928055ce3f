// Replies, as the parser cuts them.

/** How a reply is cut. */
export interface ParserOptions {
  /** Which machine cuts. */
  mode?: "robust" | "exact";
  /** `auto`, the name of a dialect, or the text of a dialect's table in TOML. */
  dialect?: string;
  /** The tools: `{tools: {name: {params: {p: "raw" | "scalar"}}}}`, or the list that a provider got. */
  specs?: { tools: Record<string, unknown> } | readonly object[];
  /** Only these tools. */
  tools?: readonly string[];
  /** Each tool has these parameters. */
  params?: readonly string[];
  /** These parameters are read raw, all others as scalars. */
  raw?: readonly string[];
  /** The tools and the dialect of this variant of the packs. */
  variant?: string;
  /** Whether values get the type that the tool's schema states. */
  typed?: boolean;
  /** Accepts a call in a code fence that holds nothing else. */
  fenced_calls?: boolean;
  /** The prompt's template has opened the reasoning. */
  starts_in_reasoning?: boolean;
  /** A call ends reasoning. */
  call_ends_reasoning?: boolean;
  /** Each tag that is a name ends so. */
  tag_suffix?: string;
}

/** What is known when a stream ends. */
export interface ReadOptions {
  /** Why the model stopped, as its provider says; a function is asked at the end. */
  reason?: string | (() => string | null | undefined);
}

/** How a block ended: by something in the reply, because the model stopped, or by the limit of tokens. */
export type End = "text" | "stop" | "length";

/** A text, or reasoning. */
export interface TextBlock {
  type: "text" | "reasoning";
  content: string;
  partial: boolean;
  signature?: string;
}

/** A call. Only one with the end `text` is complete and may run. */
export interface ToolUseBlock {
  type: "tool_use";
  id: string;
  name: string;
  params: Record<string, unknown>;
  partial: boolean;
  end: End | null;
  repaired?: string;
  native?: true;
  signature?: string;
}

/** A block of a reply. */
export type ReplyBlock = TextBlock | ToolUseBlock;

/** What a chunk changed. Folded over all chunks, the events give the final blocks. */
export type ReplyEvent =
  | { event: "opened"; index: number; id: string; kind: "text" | "reasoning" | "tool_use"; name?: string }
  | { event: "delta"; index: number; text: string }
  | { event: "param_opened"; index: number; name: string }
  | { event: "param_delta"; index: number; name: string; text: string }
  | { event: "param_closed"; index: number; name: string; value: unknown }
  | { event: "repaired"; index: number; params: Record<string, unknown>; why: string }
  | { event: "closed"; index: number; end: End | null; block: ReplyBlock };
