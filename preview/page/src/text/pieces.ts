// Cuts a prompt into chunks of pieces: what the prompt view draws.
// In: a result. Out: chunks that end at line ends, so that the browser lays out only those in sight. Never: loses a character.

import type { CacheClass, Result, Span } from "../types";
import { toUnits } from "./offsets";

/** A run of text of one span, or a border that prints nothing. */
export type Piece = { kind: "text"; text: string; span: number } | { kind: "border"; label: string; class: CacheClass };

export interface Chunk {
  key: number;
  pieces: Piece[];
}

/** About how many characters a chunk has. */
const CHUNK = 1600;

export function chunks(result: Result): Chunk[] {
  const units = toUnits(result.text);
  const made: Chunk[] = [];
  let open: Piece[] = [];
  let size = 0;
  const close = (): void => {
    if (open.length > 0) made.push({ key: made.length, pieces: open });
    open = [];
    size = 0;
  };
  const put = (text: string, span: number): void => {
    for (let rest = text; rest !== "";) {
      const cut = size + rest.length < CHUNK ? -1 : rest.indexOf("\n", Math.max(0, CHUNK - size));
      const part = cut < 0 ? rest : rest.slice(0, cut + 1);
      open.push({ kind: "text", text: part, span });
      size += part.length;
      rest = rest.slice(part.length);
      if (size >= CHUNK && part.endsWith("\n")) close();
    }
  };
  const ends = borders(result);
  let before: Span | undefined;
  result.spans.forEach((span, index) => {
    for (let end = ends[0]; end !== undefined && end.at <= span.start; end = ends[0]) {
      open.push({ kind: "border", label: end.label, class: end.class });
      ends.shift();
    }
    if (before !== undefined && before.id !== span.id && size > CHUNK / 2 && endsLine(open)) close();
    put(result.text.slice(units(span.start), units(span.end)), index);
    before = span;
  });
  close();
  return made;
}

function endsLine(pieces: Piece[]): boolean {
  const last = pieces.at(-1);
  return last?.kind === "text" && last.text.endsWith("\n");
}

/** Where the heads end, where anything follows. */
function borders(result: Result): { at: number; label: string; class: CacheClass }[] {
  const cause = (at: number, weaker: CacheClass[]): string => {
    const hinge = result.hinges.find((one) => one.at >= at && weaker.includes(one.class));
    return hinge === undefined ? "" : ` by \`${hinge.cause}\``;
  };
  const last = result.spans.at(-1)?.end ?? 0;
  const { static_head_bytes: fixed, session_head_bytes: kept } = result;
  return [
    {
      at: fixed,
      label: `static head ends: ${fixed} bytes${cause(fixed, ["session", "volatile"])}`,
      class: "session" as const,
    },
    { at: kept, label: `session head ends: ${kept} bytes${cause(kept, ["volatile"])}`, class: "volatile" as const },
  ].filter((border) => border.at < last);
}
