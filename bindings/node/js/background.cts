// Builds in the background.
//
// In: a build that begins. Out: a promise of its prompt. Never: interrupts a build; one that nobody waits for any more ends unseen.

import { told } from "./error.cjs";
import { addon, KEY } from "./native.cjs";
import { Prompt } from "./prompt.cjs";

// The process waits for builds, which wait for components, which nobody calls any more.
process.once("exit", () => addon.leave());

/** The prompt of a build, or why there is none: its error, or the reason of the signal. */
export function background(start: () => Promise<number>, signal: AbortSignal | undefined): Promise<Prompt> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const abort = () => reject(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    const settle = (then: () => void) => {
      signal?.removeEventListener("abort", abort);
      then();
    };
    // It starts at once, for a context may change later; one that throws is a promise that fails.
    const begun = (async () => start())();
    begun.then(
      (number) =>
        settle(() => {
          const prompt = new Prompt(KEY, number);
          if (signal?.aborted) prompt.close();
          resolve(prompt);
        }),
      (thrown: unknown) => settle(() => reject(told(thrown))),
    );
  });
}
