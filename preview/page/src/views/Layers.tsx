// The sections of the very build as cards, in the order in which they stand.
// In: the latest build. Out: cards. Never: a section that is not in the prompt.

import { signal } from "@preact/signals";
import { built } from "../live";
import { jump } from "../point";
import { written } from "../text/place";
import type { Included } from "../types";
import { Class, Copy, Count, Empty } from "./parts";

/** The cards that are open, by the section's name. */
const open = signal<ReadonlySet<string>>(new Set());

const set = (id: string, shown: boolean): void => {
  if (open.peek().has(id) === shown) return;
  const next = new Set(open.peek());
  if (shown) next.add(id);
  else next.delete(id);
  open.value = next;
};

export function Layers() {
  const result = built.value.result;
  if (result === null) return <Empty>There is no prompt yet.</Empty>;
  const layers = result.sections
    .filter((one): one is Included => one.state === "included")
    .sort((a, b) => a.start - b.start);
  return (
    <>
      <div class="tools">
        <button type="button" onClick={() => (open.value = new Set(layers.map((one) => one.id)))}>
          Open all
        </button>
        <button type="button" onClick={() => (open.value = new Set())}>
          Close all
        </button>
        <span class="count">tokens: {result.token_method}</span>
      </div>
      <ol class="cards">
        {layers.map((layer) => (
          <Card key={layer.id} layer={layer} />
        ))}
      </ol>
    </>
  );
}

function Card({ layer }: { layer: Included }) {
  const shown = open.value.has(layer.id);
  const first = built.value.result?.spans.findIndex((span) => span.id === layer.id) ?? -1;
  return (
    <li>
      <details class="card" open={shown} onToggle={(event) => set(layer.id, event.currentTarget.open)}>
        <summary>
          <strong>{layer.id}</strong> <Class of={layer.cache} />
          <Count of={layer.bytes} unit="bytes" />
          <Count of={layer.tokens} unit="tokens" />
          <span class="count time" data-time>
            {layer.ms.toFixed(2)} ms
          </span>
          <span class="path">{written(layer.origin)}</span>
        </summary>
        {shown && (
          <>
            <div class="tools">
              <button type="button" onClick={() => jump(first)}>
                Show in the prompt
              </button>
              <Copy label="Copy" text={() => layer.text} />
            </div>
            <pre class="content" tabIndex={0} aria-label={`Text of ${layer.id}`}>
              {layer.text}
            </pre>
          </>
        )}
      </details>
    </li>
  );
}
