// What is asked for less often: a tag, a label, tools, single values, a session.
// In: lists from the server. Out: changes of the shared state. Never: asks for a build itself.

import { effect, signal } from "@preact/signals";
import { variants } from "../live";
import { begin, end, refused, reset } from "../session";
import { assignments, change, session, shared, type Ask } from "../state";
import { Choice, Field, Lines, Refusal } from "./parts";

const NAMES = ["tag", "label", "tools", "set"] as const;

/** What of it is chosen, by name. */
const used = (): string[] => {
  const { ask } = shared.value;
  const chosen: string[] = NAMES.filter((name) => ask[name].trim() !== "");
  return session.value === null ? chosen : [...chosen, "session"];
};

const open = signal(false);
/** What an address brings along is shown. */
effect(() => {
  if (used().length > 0) open.value = true;
});

const put = (part: Partial<Ask>): void => change({ ask: { ...shared.peek().ask, ...part } });

export function More() {
  const { ask } = shared.value;
  const chosen = used();
  return (
    <details class="more" open={open.value} onToggle={(event) => (open.value = event.currentTarget.open)}>
      <summary>
        More <span class="count">{chosen.length > 0 ? chosen.join(", ") : "tag, label, tools, values, session"}</span>
      </summary>
      <div class="opened">
        <div class="fields">
          <Choice label="Tag" value={ask.tag} options={offered((one) => one.tags ?? [])} onValue={(tag) => put({ tag })} />
          <Choice
            label="Label"
            value={ask.label}
            options={offered((one) => Object.keys(one.labels ?? {}))}
            onValue={(label) => put({ label })}
          />
        </div>
        <Field
          label="Tools, with commas between"
          value={ask.tools}
          hint="the context's"
          onValue={(tools) => put({ tools })}
        />
        <Lines label="Set, a path = value in each line" value={ask.set} onValue={(set) => put({ set })} />
        <Wrong lines={assignments(ask.set).wrong} />
        <Session />
      </div>
    </details>
  );
}

/** Each name that a variant has, once. */
function offered(names: (one: (typeof variants.value)[number]) => string[]): (readonly [string, string])[] {
  const all = new Set(variants.value.flatMap(names));
  return [["", "any"], ...[...all].sort().map((name) => [name, name] as const)];
}

function Wrong({ lines }: { lines: number[] }) {
  if (lines.length === 0) return null;
  return (
    <p class="refusal" role="status">
      left out, for it is no `path = value` or names a path again: line {lines.join(", ")}
    </p>
  );
}

function Session() {
  const id = session.value;
  return (
    <div class="going" role="group" aria-label="Session">
      {id === null ? (
        <button type="button" onClick={() => void begin()}>
          Begin a session
        </button>
      ) : (
        <>
          <span>in a session</span>
          <button type="button" aria-label="Reset session" onClick={() => void reset(id)}>
            Reset
          </button>
          <button type="button" aria-label="End session" onClick={() => void end(id)}>
            End
          </button>
        </>
      )}
      <Refusal problem={refused.value} />
    </div>
  );
}
