// Finds what an origin printed, and how an origin is written.
// In: origins and spans. Out: indexes and words. Never: fails; what printed nothing has no span.

import type { Origin, Result, Span } from "../types";

/** `file:line:column`, as far as it is known. */
export function written(origin: Origin | null | undefined): string {
  if (origin === null || origin === undefined) return "the program";
  return [origin.file, origin.line, origin.column].filter((part) => part !== null && part !== undefined).join(":");
}

const order = (origin: Origin): number => (origin.line ?? 0) * 100000 + (origin.column ?? 0);

/** The span that begins nearest before an origin in the same file, else the first of that file; -1 without one. */
export function spanOf(origin: Origin | null | undefined, spans: Span[]): number {
  if (origin === null || origin === undefined) return -1;
  let best = -1;
  let first = -1;
  spans.forEach((span, index) => {
    if (span.origin?.file !== origin.file) return;
    if (first < 0) first = index;
    const held = spans[best]?.origin;
    const fits = order(span.origin) <= order(origin);
    if (fits && (held === null || held === undefined || order(held) < order(span.origin))) best = index;
  });
  return best >= 0 ? best : first;
}

/** One of eight tints for each file, in the order in which they appear; none for what joins sections. */
export function tints(result: Result): Map<string, number> {
  const made = new Map<string, number>();
  for (const span of result.spans) {
    const file = span.origin?.file;
    if (span.kind !== "tidy" && file !== undefined && !made.has(file)) made.set(file, made.size % 8);
  }
  return made;
}

/** The last part of a path. */
export const base = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

export const counted = (count: number, unit: string): string => `${thousands(count)} ${unit}${count === 1 ? "" : "s"}`;

export const thousands = (count: number): string => count.toLocaleString("en-US");
