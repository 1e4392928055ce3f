// Asks for what one view alone needs, again whenever what it depends on changes.
// In: a key and a question. Out: the latest answer. Never: shows an older answer as a newer one.

import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { Problem } from "./api";

export interface Answer<T> {
  value: T | null;
  problem: Problem | null;
  pending: boolean;
}

const REST_MS = 120;

/** How many answers are awaited. */
export const awaited = signal(0);

export function useAnswer<T>(key: string, question: (stop: AbortSignal) => Promise<T>): Answer<T> {
  const [answer, setAnswer] = useState<Answer<T>>({ value: null, problem: null, pending: true });
  useEffect(() => {
    const stop = new AbortController();
    setAnswer((before) => ({ ...before, pending: true }));
    let open = true;
    const settle = (next: (before: Answer<T>) => Answer<T>): void => {
      if (open) awaited.value -= 1;
      if (open && !stop.signal.aborted) setAnswer(next);
      open = false;
    };
    awaited.value += 1;
    const timer = setTimeout(() => {
      question(stop.signal).then(
        (value) => settle(() => ({ value, problem: null, pending: false })),
        (error: unknown) => {
          const problem = error instanceof Problem ? error : new Problem(0, String(error));
          settle((before) => ({ value: before.value, problem, pending: false }));
        },
      );
    }, REST_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
      settle((before) => before);
    };
  }, [key]);
  return answer;
}
