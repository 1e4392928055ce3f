// Begins, resets and ends the session that builds go on with.
// In: the server. Out: `session` in `state`, or why there is none. Never: puts its id anywhere else.

import { signal } from "@preact/signals";
import { ask, Problem, remove, send } from "./api";
import { generation, session } from "./state";

/** Why the last step was refused. */
export const refused = signal<Problem | null>(null);

const of = (id: string): string => `/v1/sessions/${encodeURIComponent(id)}`;

/** Does a step, and keeps what was in its way. */
async function step(does: () => Promise<void>): Promise<void> {
  refused.value = null;
  try {
    await does();
  } catch (error) {
    refused.value = error instanceof Problem ? error : new Problem(0, String(error));
  }
}

export const begin = (): Promise<void> =>
  step(async () => {
    session.value = (await ask<{ id: string }>("/v1/sessions", {})).id;
  });

/** What the session said is forgotten, and all is built anew. */
export const reset = (id: string): Promise<void> =>
  step(async () => {
    await send(`${of(id)}/reset`, {});
    generation.value += 1;
  });

/** One that the server does not know any more has ended too. */
export const end = (id: string): Promise<void> =>
  step(async () => {
    await remove(of(id)).catch((error: unknown) => {
      if (!(error instanceof Problem && error.status === 404)) throw error;
    });
    session.value = null;
  });
