// The one door to the server.
// In: a path and a body. Out: the answer, or a `Problem`. Never: keeps state, but for whether a token is asked for.

import { signal } from "@preact/signals";
import type { Origin } from "./types";

/** Whether the server wants a token before it says anything. */
export const locked = signal(false);

/** A refusal of the server (RFC 9457), or a server that cannot be reached (status 0). */
export class Problem extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly code: string | null = null,
    readonly origin: Origin | null = null,
  ) {
    super(message);
  }
}

const text = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** The refusal that a body tells of. */
export function refusal(status: number, said: unknown): Problem {
  const body = (typeof said === "object" && said !== null ? said : {}) as Record<string, unknown>;
  const message = text(body["detail"]) ?? text(body["title"]) ?? `the server answered ${status}`;
  return new Problem(status, message, text(body["code"]), (body["origin"] as Origin | undefined) ?? null);
}

/** Asks by GET without a body, else by POST. Aborted requests throw the abort. */
export function send(
  path: string,
  body: unknown,
  stop?: AbortSignal,
  accept = "application/json",
): Promise<Response> {
  const how: RequestInit = { headers: { accept }, signal: stop ?? null };
  if (body !== undefined) {
    how.method = "POST";
    how.headers = { accept, "content-type": "application/json" };
    how.body = JSON.stringify(body);
  }
  return fetched(path, how);
}

/** Ends what the path names. */
export async function remove(path: string): Promise<void> {
  await fetched(path, { method: "DELETE" });
}

async function fetched(path: string, how: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, { ...how, credentials: "same-origin" });
  } catch (error) {
    if (how.signal?.aborted) throw error;
    throw new Problem(0, "the server cannot be reached");
  }
  if (response.status === 401) locked.value = true;
  if (!response.ok) throw refusal(response.status, await response.json().catch(() => null));
  return response;
}

export async function ask<T>(path: string, body?: unknown, stop?: AbortSignal): Promise<T> {
  return (await (await send(path, body, stop)).json()) as T;
}

/** Exchanges the token for a cookie that scripts cannot read. */
export async function unlock(token: string): Promise<void> {
  await send("/auth", { token });
  locked.value = false;
}

/** Calls `each` with the name and data of every server-sent event of an answer. */
export async function events(response: Response, each: (name: string, data: string) => void): Promise<void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let held = "";
  for (let part = await reader?.read(); reader && part && !part.done; part = await reader.read()) {
    held += part.value.replaceAll("\r\n", "\n");
    for (let end = held.indexOf("\n\n"); end >= 0; end = held.indexOf("\n\n")) {
      message(held.slice(0, end), each);
      held = held.slice(end + 2);
    }
  }
}

function message(lines: string, each: (name: string, data: string) => void): void {
  let name = "message";
  const data: string[] = [];
  for (const line of lines.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
  }
  if (data.length > 0) each(name, data.join("\n"));
}
