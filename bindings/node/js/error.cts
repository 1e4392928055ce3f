// Errors.
//
// In: what the native half throws. Out: errors with code, place and help. Never: has the text of a prompt in it.

import type { Origin } from "./types.cjs";

interface Parts {
  code: string;
  message: string;
  help?: string | null;
  origin?: Origin;
  file?: string | null;
  span?: readonly [number, number] | null;
}

const NO_REASON = "it gave no reason";

/** Why a call gave nothing. */
export class PromptweaveError extends Error {
  /** A stable name for programs, e.g. `no-variant`. */
  readonly code: string;
  /** What to do about it. */
  readonly help: string | null;
  /** Where, as diagnostics say it. */
  readonly origin: Origin;
  /** The file that it is about. */
  readonly file: string | null;
  /** The bytes of that file, from the first to behind the last. */
  readonly span: readonly [start: number, end: number] | null;

  constructor(parts: Parts, cause?: unknown) {
    super(parts.message, cause === undefined ? undefined : { cause });
    this.code = parts.code;
    this.help = parts.help ?? null;
    this.origin = parts.origin ?? {};
    this.file = parts.file ?? null;
    this.span = parts.span ?? null;
  }

  override get name(): string {
    return "PromptweaveError";
  }

  /** All of it: what `JSON.stringify` leaves out of other errors is their message. */
  toJSON(): Record<string, unknown> {
    const { code, message, help, origin, file, span } = this;
    return { code, message, help, origin, file, span };
  }
}

/** What the native half threw, as its message says it: a JSON object, or words where it failed itself. */
export function told(thrown: unknown): PromptweaveError {
  if (thrown instanceof PromptweaveError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  if (message.startsWith("{")) return new PromptweaveError(JSON.parse(message) as Parts);
  const help = "please report what you called";
  return new PromptweaveError({ code: "panicked", message: `the library failed: ${message}`, help }, thrown);
}

/** The sentence of an error that others threw, where it can be had. */
export function why(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown) || NO_REASON;
  } catch {
    return NO_REASON;
  }
}

/** Runs a call of the native half. */
export function tell<T>(call: () => T): T {
  try {
    return call();
  } catch (thrown) {
    throw told(thrown);
  }
}
