// What comes in.
//
// In: values of JavaScript. Out: texts. Never: changes a text; what is none is an error.

import { PromptweaveError, why } from "./error.cjs";

const native = (String.prototype as { isWellFormed?: (this: string) => boolean }).isWellFormed;

/** Whether a text has no surrogate alone, and so can be written as UTF-8. */
export const isWellFormed: (text: string) => boolean =
  native === undefined ? (text) => !/\p{Surrogate}/u.test(text) : (text) => native.call(text);

/** A text, or an error that says what should be one. */
export function text(value: unknown, what: string): string {
  if (typeof value !== "string") {
    throw new TypeError(`${what} is no string`);
  }
  if (!isWellFormed(value)) throw notText(what);
  return value;
}

/** The error of a text with a surrogate alone. */
export function notText(what: string): PromptweaveError {
  const help = "cut strings between characters, or give bytes";
  return new PromptweaveError({ code: "not-utf8", message: `${what} has a surrogate alone`, help });
}

/** A context as JSON: an object, or a text of JSON that is taken as it is. */
export function context(value: unknown): string {
  return typeof value === "string" ? text(value, "the context") : json(value, "context-invalid");
}

/** Options as JSON; absent ones have their defaults. */
export function options(value: unknown): string | null {
  return value === undefined ? null : json(value, "options-invalid");
}

/** What `JSON.stringify` writes; a value that it has no form for is the native half's to refuse. */
function json(value: unknown, code: string): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch (cause) {
    const [first] = why(cause).split("\n", 1);
    const message = `a value cannot be written as JSON: ${first}`;
    throw new PromptweaveError({ code, message, help: "give what JSON has a form for" }, cause);
  }
}
