// Contexts that are known already.
//
// In: the JSON of a context, later values. Out: whether `JSON.stringify` would write that JSON again. Never: says so of a value
// that might be written otherwise; when in doubt it is not known, and is written.

import { types } from "node:util";

/** What an object or an array was written as. Strings are swapped for equal ones, for the same object is compared at once. */
interface Members {
  /** The names, in order; null for an array. */
  readonly keys: readonly string[] | null;
  readonly values: Known[];
}

type Known = Members | string | number | boolean | null;

/** The JSON of a context, and from the second time on what it says. */
export class KnownContext {
  readonly text: string;
  /** Null where the JSON is not as `JSON.stringify` writes an object. */
  #known: Members | null | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** Whether this value would be written as this JSON, as far as that can be seen without writing it. */
  says(value: unknown): boolean {
    try {
      return this.#known !== undefined && this.#known !== null && says(this.#known, value);
    } catch {
      // What throws when it is read throws again when it is written.
      return false;
    }
  }

  /** Whether this is the JSON. One that comes twice may come again, and is read, so that it need not be written any more. */
  is(text: string): boolean {
    if (text !== this.text) return false;
    if (this.#known === undefined) this.#known = read(text);
    return true;
  }
}

/** It is read from the JSON and not from the value: a getter may have said something else meanwhile. */
function read(text: string): Members | null {
  const json: unknown = JSON.parse(text);
  const members = known(json);
  return typeof members === "object" && JSON.stringify(json) === text ? members : null;
}

function known(json: unknown): Known {
  if (typeof json !== "object" || json === null) return json as Known;
  if (Array.isArray(json)) return { keys: null, values: json.map(known) };
  return { keys: Object.keys(json), values: Object.values(json).map(known) };
}

function says(known: Known, value: unknown): boolean {
  if (value === known) return true;
  if (typeof known !== "object" || known === null || typeof value !== "object" || value === null) return false;
  if (isWrittenOtherwise(value)) return false;
  return known.keys === null ? saysArray(known.values, value) : saysObject(known.keys, known.values, value);
}

/** Whether there may be more to it than its members. */
function isWrittenOtherwise(value: object): boolean {
  return types.isBoxedPrimitive(value) || typeof (value as { toJSON?: unknown }).toJSON === "function";
}

function saysArray(values: Known[], value: object): boolean {
  if (!Array.isArray(value) || value.length !== values.length) return false;
  for (let at = 0; at < values.length; at += 1) {
    if (!saysMember(values, at, value[at])) return false;
  }
  return true;
}

function saysObject(keys: readonly string[], values: Known[], value: object): boolean {
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  let at = 0;
  for (const key of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[key];
    if (member === undefined) continue;
    if (key !== keys[at] || !saysMember(values, at, member)) return false;
    at += 1;
  }
  return at === keys.length;
}

function saysMember(values: Known[], at: number, member: unknown): boolean {
  if (!says(values[at] as Known, member)) return false;
  if (typeof member === "string") values[at] = member;
  return true;
}
