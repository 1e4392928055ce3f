// What is pointed at in the prompt: by the mouse for the moment, by a click or the keys until something else is.
// In: indexes of spans. Out: signals. Never: keeps an index beyond the build that it belongs to.

import { computed, effect, signal } from "@preact/signals";
import { built } from "./live";
import { change } from "./state";
import { spanOf } from "./text/place";
import type { Origin, Span } from "./types";

export const hovered = signal(-1);
export const pinned = signal(-1);

export const pointed = computed(() => (hovered.value >= 0 ? hovered.value : pinned.value));

export const span = computed<Span | null>(() => built.value.result?.spans[pointed.value] ?? null);

/** Counts jumps, so that the same span can be jumped to twice. */
export const jumps = signal(0);

effect(() => {
  const length = built.value.result?.spans.length ?? 0;
  if (pinned.peek() >= length) pinned.value = -1;
  hovered.value = -1;
});

/** Shows the span in the prompt and keeps it pointed at. */
export function jump(index: number): void {
  if (index < 0) return;
  change({ view: "prompt" });
  pinned.value = index;
  hovered.value = -1;
  jumps.value += 1;
}

/** Whether anything in the prompt came from there. */
export const reachable = (origin: Origin | null | undefined): boolean =>
  spanOf(origin, built.value.result?.spans ?? []) >= 0;

export function jumpTo(origin: Origin | null | undefined): void {
  jump(spanOf(origin, built.peek().result?.spans ?? []));
}
