// Puts what is shown into the address's fragment, which no browser sends to a server, and reads it back.
// In: `Shared`, or a fragment from anywhere. Out: the other. Never: trusts a fragment; what does not fit is left out.

import { START, VIEWS, type Ask, type Kept, type Other, type Playground, type Shared, type View } from "./state";

/** What is long: it is compressed. */
interface Long {
  context?: string;
  kept?: Kept[];
  reply?: string;
}

const ASK = ["variant", "model", "provider", "mode", "budget", "label", "tag", "tools", "set"] as const;
const OTHER = ["variant", "model", "context"] as const;
const REPLY = ["chunk", "mode", "dialect", "stop"] as const;

export async function encode(shared: Shared): Promise<string> {
  const words = new URLSearchParams();
  const put = (key: string, value: string, usual: string): void => {
    if (value !== usual) words.set(key, value);
  };
  put("view", shared.view, START.view);
  put("colour", shared.colour, START.colour);
  put("target", shared.target, START.target);
  put("models", shared.models, START.models);
  for (const key of ASK) put(key, shared.ask[key], START.ask[key]);
  for (const key of OTHER) put(`vs-${key}`, shared.other[key], START.other[key]);
  for (const key of REPLY) put(`reply-${key}`, shared.reply[key], START.reply[key]);
  const long: Long = {};
  if (shared.context !== null) long.context = shared.context;
  if (shared.kept.length > 0) long.kept = shared.kept;
  if (shared.reply.text !== "") long.reply = shared.reply.text;
  if (Object.keys(long).length > 0) words.set("z", await pack(JSON.stringify(long)));
  return words.toString();
}

export async function decode(fragment: string): Promise<Shared> {
  const words = new URLSearchParams(fragment.replace(/^#/, ""));
  const read = (key: string, usual: string): string => words.get(key) ?? usual;
  const long = await unpack(words.get("z"));
  const ask = { ...START.ask } satisfies Ask;
  for (const key of ASK) ask[key] = read(key, ask[key]);
  const other = { ...START.other } satisfies Other;
  for (const key of OTHER) other[key] = read(`vs-${key}`, other[key]);
  const reply = { ...START.reply, text: long.reply ?? "" } satisfies Playground;
  for (const key of REPLY) reply[key] = read(`reply-${key}`, reply[key]);
  return {
    view: VIEWS.find((view) => view === words.get("view")) ?? (START.view satisfies View),
    colour: words.get("colour") === "origin" ? "origin" : "class",
    target: read("target", START.target),
    models: read("models", START.models),
    context: long.context ?? null,
    kept: long.kept ?? [],
    ask,
    other,
    reply,
  };
}

/** More than that is in no address that this page makes. */
const MOST_BYTES = 8 << 20;

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array> {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length;
    if (size > MOST_BYTES) throw new RangeError("the address holds too much");
    parts.push(part.value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

async function pack(text: string): Promise<string> {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpack(packed: string | null): Promise<Long> {
  if (packed === null) return {};
  try {
    const binary = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (one) => one.charCodeAt(0));
    const text = new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw")));
    return fitting(JSON.parse(text));
  } catch {
    return {};
  }
}

function fitting(value: unknown): Long {
  const long: Long = {};
  if (typeof value !== "object" || value === null) return long;
  const given = value as Record<string, unknown>;
  if (typeof given["context"] === "string") long.context = given["context"];
  if (typeof given["reply"] === "string") long.reply = given["reply"];
  if (Array.isArray(given["kept"])) long.kept = given["kept"].filter(isKept);
  return long;
}

function isKept(value: unknown): value is Kept {
  if (typeof value !== "object" || value === null) return false;
  const kept = value as Record<string, unknown>;
  return typeof kept["name"] === "string" && typeof kept["text"] === "string";
}
