// Keeps the build up to date: asks anew when the request changes or a pack's file does.
// In: the signals of `state`. Out: `built`, lists, diagnostics of loading. Never: draws.

import { effect, signal } from "@preact/signals";
import { ask, locked, Problem } from "./api";
import { decode, encode } from "./fragment";
import { change, current, currentKey, generation, machine, shared } from "./state";
import type { Diagnostic, JsonObject, Listed, Machine, Result } from "./types";

/** How long typing has to rest before anything is asked. */
const REST_MS = 120;

export interface Built {
  result: Result | null;
  problem: Problem | null;
  pending: boolean;
}

export const built = signal<Built>({ result: null, problem: null, pending: true });
export const loading = signal<Diagnostic[]>([]);
/** What the probes that fill in the context had to tell. */
export const probed = signal<Diagnostic[]>([]);
export const variants = signal<Listed[]>([]);
export const tools = signal<Listed[]>([]);
export const schema = signal<JsonObject>({});
/** Whether the server tells of changes at this moment. */
export const connected = signal(false);

let stop = new AbortController();

async function build(): Promise<void> {
  stop.abort();
  stop = new AbortController();
  const mine = stop.signal;
  built.value = { ...built.peek(), pending: true };
  try {
    const result = await ask<Result>("/v1/build", current.peek(), mine);
    if (!mine.aborted) built.value = { result, problem: null, pending: false };
  } catch (error) {
    if (mine.aborted) return;
    const problem = error instanceof Problem ? error : new Problem(0, String(error));
    built.value = { result: built.peek().result, problem, pending: false };
  }
}

/** What stays the same until the packs change. */
async function learn(): Promise<void> {
  const get = <T>(path: string, put: (value: T) => void): Promise<void> => ask<T>(path).then(put, () => undefined);
  await Promise.all([
    get<Listed[]>("/v1/variants", (value) => (variants.value = value)),
    get<Listed[]>("/v1/tools", (value) => (tools.value = value)),
    get<JsonObject>("/v1/schema/context", (value) => (schema.value = value)),
    get<Diagnostic[]>("/v1/diagnostics", (value) => (loading.value = value)),
    get<Machine>("/v1/context", (value) => {
      machine.value = JSON.stringify(value.context, null, 2);
      probed.value = value.diagnostics;
    }),
  ]);
  if (!locked.peek()) machine.value ??= "{}";
}

function listen(): () => void {
  const source = new EventSource("/v1/events");
  const anew = (): void => {
    generation.value += 1;
    void learn();
  };
  let lost = false;
  source.onopen = () => {
    connected.value = true;
    if (lost) anew();
    lost = false;
  };
  source.onerror = () => {
    connected.value = false;
    lost = true;
  };
  source.addEventListener("reload", anew);
  source.addEventListener("lagged", anew);
  source.addEventListener("diagnostics", (event) => {
    loading.value = JSON.parse((event as MessageEvent<string>).data) as Diagnostic[];
  });
  return () => source.close();
}

/** Starts it all; nothing but the form for the token is asked for while the server is locked. */
export async function start(): Promise<void> {
  shared.value = await decode(location.hash);
  addEventListener("hashchange", () => void decode(location.hash).then(change));
  let resting = 0;
  effect(() => {
    const value = shared.value;
    clearTimeout(resting);
    resting = window.setTimeout(() => void write(value), REST_MS);
  });
  effect(() => {
    if (locked.value) return undefined;
    void learn();
    return listen();
  });
  let timer = 0;
  effect(() => {
    void [currentKey.value, generation.value, locked.value];
    clearTimeout(timer);
    if (!locked.peek() && machine.value !== null) timer = window.setTimeout(() => void build(), REST_MS);
  });
}

async function write(value: typeof shared.value): Promise<void> {
  const fragment = await encode(value);
  if (value !== shared.peek() || fragment === location.hash.slice(1)) return;
  history.replaceState(null, "", fragment === "" ? location.pathname : `#${fragment}`);
}
