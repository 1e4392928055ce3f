// What the page shows and asks for: everything a shared address carries.
// In: what people choose. Out: signals. Never: talks to the server, touches the document.

import { computed, signal } from "@preact/signals";
import type { BuildRequest, Json, JsonObject } from "./types";

export const VIEWS = ["prompt", "layers", "payload", "diff", "matrix", "reply"] as const;
export type View = (typeof VIEWS)[number];

export const TARGETS = [
  "anthropic",
  "vertex",
  "bedrock",
  "openai-chat",
  "openai-responses",
  "openai-compatible",
  "xai",
  "gemini",
] as const;

/** What is asked for besides the context; empty where it is left to the context. */
export interface Ask {
  variant: string;
  model: string;
  provider: string;
  mode: string;
  budget: string;
  label: string;
  tag: string;
  /** Names with commas between. */
  tools: string;
  /** A value for a dotted path in each line. */
  set: string;
}

/** A context that was kept under a name, as its text. */
export interface Kept {
  name: string;
  text: string;
}

/** The other side of the diff; empty means as on this side. */
export interface Other {
  variant: string;
  model: string;
  context: string;
}

export interface Playground {
  text: string;
  chunk: string;
  mode: string;
  dialect: string;
  stop: string;
}

export interface Shared {
  view: View;
  colour: "class" | "origin";
  ask: Ask;
  context: string | null;
  kept: Kept[];
  target: string;
  other: Other;
  models: string;
  reply: Playground;
}

export const START: Shared = {
  view: "prompt",
  colour: "class",
  ask: { variant: "", model: "", provider: "", mode: "", budget: "", label: "", tag: "", tools: "", set: "" },
  context: null,
  kept: [],
  target: "anthropic",
  other: { variant: "", model: "", context: "" },
  models: "",
  reply: { text: "", chunk: "16", mode: "robust", dialect: "", stop: "end_turn" },
};

export const shared = signal<Shared>(START);

/** The context that the machine fills in, as text, until somebody edits it. */
export const machine = signal<string | null>(null);

/** The context's text as it stands in the editor; null until it is known. */
export const contextText = computed(() => shared.value.context ?? machine.value);

/** The last context that was an object. A text that is none leaves it as it was. */
export const context = computed<JsonObject>((): JsonObject => {
  const text = contextText.value;
  lastGood = (text === null ? null : parseContext(text)) ?? lastGood;
  return lastGood;
});
let lastGood: JsonObject = {};

export function change(part: Partial<Shared>): void {
  shared.value = { ...shared.value, ...part };
}

/** The object that a text is, or null. */
export function parseContext(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
  } catch {
    return null;
  }
}

/** The request for what is chosen on the left. */
export function request(ask: Ask, context: JsonObject): BuildRequest {
  const wanted: BuildRequest = { context };
  if (ask.variant !== "") wanted.variant = ask.variant;
  if (ask.model.trim() !== "") wanted.model = ask.model.trim();
  if (ask.provider.trim() !== "") wanted.provider = ask.provider.trim();
  if (ask.mode !== "") wanted.mode = ask.mode;
  const budget = Number.parseInt(ask.budget, 10);
  if (budget > 0) wanted.max_tokens = budget;
  if (ask.label !== "") wanted.label = ask.label;
  if (ask.tag !== "") wanted.tag = ask.tag;
  const tools = ask.tools.split(",").map((name) => name.trim());
  if (ask.tools.trim() !== "") wanted.tools = tools.filter((name) => name !== "");
  const { set } = assignments(ask.set);
  if (Object.keys(set).length > 0) wanted.set = set;
  return wanted;
}

/** The values of lines `path = value`, JSON where they parse, and the numbers of the lines that are none or name a path again. */
export function assignments(text: string): { set: JsonObject; wrong: number[] } {
  const set = new Map<string, Json>();
  const wrong: number[] = [];
  text.split("\n").forEach((line, index) => {
    if (line.trim() === "") return;
    const [path = "", ...rest] = line.split("=");
    const name = path.trim();
    if (name === "" || rest.length === 0 || set.has(name)) wrong.push(index + 1);
    else set.set(name, valueOf(rest.join("=").trim()));
  });
  return { set: Object.fromEntries(set), wrong };
}

function valueOf(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** The id of the session that builds go on with. It is a secret of this page, and in no address. */
export const session = signal<string | null>(null);

export const current = computed((): BuildRequest => {
  const wanted = request(shared.value.ask, context.value);
  return session.value === null ? wanted : { ...wanted, session: session.value };
});

/** The same as JSON: what answers are kept by. */
export const currentKey = computed(() => JSON.stringify(current.value));

/** Counts reloads of the packs; every answer depends on it. */
export const generation = signal(0);

/** The context of that name: a kept one, else the current one. */
export function contextNamed(name: string): JsonObject {
  const kept = shared.value.kept.find((one) => one.name === name);
  return (kept === undefined ? null : parseContext(kept.text)) ?? context.value;
}
