// What the colours mean, and how many bytes each has; a click goes to the first span of its kind.
import { jump } from "../point";
import { shared } from "../state";
import { base, thousands, tints } from "../text/place";
import type { CacheClass, Result, Span } from "../types";

const CLASSES: CacheClass[] = ["static", "session", "volatile"];

export function Legend({ result }: { result: Result }) {
  const entries = shared.value.colour === "class" ? byClass(result) : byFile(result);
  return (
    <ul class={`legend by-${shared.value.colour}`} aria-label="Colours">
      {entries
        .filter((entry) => entry.bytes > 0)
        .map((entry) => (
          <li key={entry.name}>
            <button type="button" onClick={() => jump(entry.first)}>
              <span class={`swatch span ${entry.look}`} aria-hidden="true">
                a
              </span>{" "}
              {entry.name} <span class="count">{thousands(entry.bytes)}</span>
            </button>
          </li>
        ))}
    </ul>
  );
}

interface Entry {
  name: string;
  look: string;
  bytes: number;
  first: number;
}

function entry(result: Result, name: string, look: string, of: (span: Span) => boolean): Entry {
  const bytes = result.spans.reduce((sum, span) => (of(span) ? sum + span.end - span.start : sum), 0);
  return { name, look, bytes, first: result.spans.findIndex(of) };
}

const byClass = (result: Result): Entry[] =>
  CLASSES.map((name) => entry(result, name, name, (span) => span.class === name));

const byFile = (result: Result): Entry[] =>
  [...tints(result)].map(([file, tint]) => entry(result, base(file), `t${tint}`, (span) => span.origin?.file === file));
