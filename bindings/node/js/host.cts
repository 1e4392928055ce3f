// Components of the host.
//
// In: functions. Out: one function that calls them by their places. Never: throws, whatever they do.

import { types } from "node:util";

import type { Answered } from "./addon.cjs";
import { why } from "./error.cjs";
import { isWellFormed } from "./input.cjs";
import { addon } from "./native.cjs";
import type { Component } from "./types.cjs";

export type Caller = (place: number, inputs: string) => Answered;

const NOTHING: Answered = { kind: "nothing" };
const WRONG: Answered = { kind: "wrong" };

/** What calls components on the thread that builds, and on this one for a build in the background. */
export interface Callers {
  readonly here: Caller;
  readonly there: Caller;
}

/** What calls these components; none where there are none. */
export function callers(components: readonly Component[]): Callers | null {
  if (components.length === 0) return null;
  const here: Caller = (place, inputs) => ask(components[place], inputs);
  return { here, there: (place, inputs) => addon.inside(() => here(place, inputs)) ?? REENTERED };
}

const REENTERED: Answered = { kind: "failed", text: "it called the engine that waits for it" };

function ask(component: Component | undefined, inputs: string): Answered {
  try {
    const text: unknown = component?.call(JSON.parse(inputs) as Record<string, unknown>);
    if (text === undefined || text === null) return NOTHING;
    if (typeof text === "string") return isWellFormed(text) ? { kind: "text", text } : WRONG;
    // Nobody waits for it, so what it fails with must not end the process.
    if (types.isPromise(text)) text.catch(() => {});
    return WRONG;
  } catch (thrown) {
    return { kind: "failed", text: why(thrown) };
  }
}
