// Payloads, in shapes that the providers' own libraries take.

import type { Diagnostic } from "./types.cjs";

/** The APIs that a prompt is delivered to. */
export type Target = keyof Payloads;

/** The body for each API. */
export interface Payloads {
  anthropic: AnthropicBody;
  vertex: VertexBody;
  bedrock: BedrockBody;
  "openai-chat": ChatBody;
  "openai-responses": ResponsesBody;
  "openai-compatible": ChatBody;
  xai: ChatBody;
  gemini: GeminiBody;
}

/** What goes to a provider, and what could not be kept on the way. */
export interface Delivered<Body> {
  headers: Record<string, string>;
  body: Body;
  diagnostics: readonly Diagnostic[];
}

/** What a payload should be like. */
export interface DeliveryOptions {
  /** Entries live for an hour for these values of `request.query_source`. */
  one_hour?: readonly string[];
  /** Whether the undocumented scope of global blocks is in the request. */
  wire_scope?: boolean;
  /** What routes requests with the same prefix to the same cache. */
  cache_key?: string;
}

/** A JSON Schema of a tool's parameters. */
export interface ObjectSchema {
  type: "object";
  properties?: Record<string, unknown>;
  required?: string[];
  [key: string]: unknown;
}

/** Marks the end of a cached prefix. */
export interface CacheControl {
  type: "ephemeral";
  ttl?: "5m" | "1h";
}

/** A text of Anthropic's. */
export interface AnthropicText {
  type: "text";
  text: string;
  cache_control?: CacheControl;
}

/** A tool of Anthropic's. */
export interface AnthropicTool {
  name: string;
  description?: string;
  input_schema: ObjectSchema;
  cache_control?: CacheControl;
}

/** The body for Anthropic's Messages; `max_tokens` and the conversation are the host's. */
export interface AnthropicBody {
  model?: string;
  system: AnthropicText[];
  tools?: AnthropicTool[];
  messages: { role: "user"; content: AnthropicText[] }[];
}

/** The same for Claude on Vertex AI. */
export interface VertexBody extends Omit<AnthropicBody, "model"> {
  anthropic_version: string;
}

/** A text of Bedrock's, or the end of a cached prefix. */
export type BedrockText = { text: string } | { cachePoint: { type: "default"; ttl?: string } };

/** The body for Bedrock's Converse. */
export interface BedrockBody {
  system: BedrockText[];
  messages: { role: "user"; content: BedrockText[] }[];
  toolConfig?: { tools: Record<string, unknown>[] };
}

/** A text of Chat Completions. */
export interface ChatText {
  type: "text";
  text: string;
  prompt_cache_breakpoint?: { mode: "explicit" };
}

/** A message of Chat Completions. */
export type ChatMessage =
  | { role: "developer"; content: string | ChatText[] }
  | { role: "system"; content: string | ChatText[] }
  | { role: "user"; content: string | ChatText[] };

/** A tool of Chat Completions. */
export interface ChatTool {
  type: "function";
  function: { name: string; description?: string; parameters?: Record<string, unknown>; strict?: boolean };
}

/** The body for Chat Completions. */
export interface ChatBody {
  model?: string;
  messages: ChatMessage[];
  tools?: ChatTool[];
  prompt_cache_key?: string;
}

/** A text of Responses. */
export interface ResponsesText {
  type: "input_text";
  text: string;
  prompt_cache_breakpoint?: { mode: "explicit" };
}

/** A message of Responses. */
export interface ResponsesMessage {
  role: "developer" | "system" | "user";
  content: string | ResponsesText[];
}

/** A tool of Responses. */
export interface ResponsesTool {
  type: "function";
  name: string;
  description?: string;
  parameters: Record<string, unknown>;
  strict: boolean;
}

/** The body for OpenAI's Responses. */
export interface ResponsesBody {
  model?: string;
  instructions?: string;
  input: ResponsesMessage[];
  tools?: ResponsesTool[];
  prompt_cache_key: string;
}

/** The body for Gemini's `generateContent`. */
export interface GeminiBody {
  systemInstruction?: { parts: { text: string }[] };
  contents: { role: "user"; parts: { text: string }[] }[];
  tools?: { functionDeclarations: Record<string, unknown>[] }[];
}
