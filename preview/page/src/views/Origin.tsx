// Where what is pointed at came from, with the lines of its source.
// In: the span that is pointed at. Out: its facts. Never: a source that the server does not show.

import { useSignalEffect } from "@preact/signals";
import { useState } from "preact/hooks";
import { ask } from "../api";
import { built } from "../live";
import { hovered, pointed, span } from "../point";
import { generation } from "../state";
import { base, thousands, written } from "../text/place";
import type { Origin, Span } from "../types";
import { Class, Empty } from "./parts";

export function OriginPanel() {
  const here = span.value;
  return (
    <section class="panel" aria-labelledby="origin-heading" aria-live={hovered.value < 0 ? "polite" : "off"}>
      <h2 id="origin-heading">Origin</h2>
      {here === null ? <Empty>Point at the prompt, or walk it with the arrow keys.</Empty> : <Facts span={here} />}
    </section>
  );
}

function Facts({ span }: { span: Span }) {
  const result = built.value.result;
  const section = result?.sections.find((one) => one.id === span.id);
  const hinges = result?.hinges.filter((hinge) => hinge.at + 1 === span.start || hinge.at === span.start) ?? [];
  return (
    <>
      <dl class="facts">
        <dt>From</dt>
        <dd class="path" data-testid="origin">
          {written(span.origin)}
        </dd>
        <dt>Section</dt>
        <dd>
          {span.id ?? "none"} <span class="count">({span.kind})</span>
        </dd>
        <dt>Class</dt>
        <dd>
          <Class of={span.class} />
        </dd>
        <dt>Bytes</dt>
        <dd>
          {thousands(span.start)} to {thousands(span.end)}, span {pointed.value + 1} of {result?.spans.length}
        </dd>
        {section?.state === "included" && (
          <>
            <dt>Section has</dt>
            <dd>
              {thousands(section.bytes)} bytes, {thousands(section.tokens)} tokens, <Class of={section.cache} />
            </dd>
          </>
        )}
        {hinges.length > 0 && (
          <>
            <dt>Decided by</dt>
            <dd>{[...new Set(hinges.map((hinge) => hinge.cause))].join(", ")}</dd>
          </>
        )}
      </dl>
      <Source origin={span.origin} />
    </>
  );
}

interface Shown {
  file: string;
  text: string;
}

/** How many lines stand around the one that is meant. */
const AROUND = 3;

/** The kind and id under which the server shows a file of a pack, by the file's place. */
function address(file: string): string | null {
  const name = base(file);
  const id = name.replace(/(@\d+)?\.(toml|hbs|md)$/, "");
  const folder = /(?:^|\/)(components|tools|partials)\/[^/]+$/.exec(file)?.[1];
  if (id === name) return null;
  return `/v1/show/${folder === undefined ? "variant" : folder.slice(0, -1)}/${encodeURIComponent(id)}`;
}

const sources = new Map<string, Promise<Shown[]>>();

function fetchSource(path: string): Promise<Shown[]> {
  const key = `${generation.peek()} ${path}`;
  const known = sources.get(key);
  if (known !== undefined) return known;
  const asked = ask<Shown[] | Shown>(path).then(
    (shown) => (Array.isArray(shown) ? shown : [shown]),
    () => [],
  );
  sources.set(key, asked);
  return asked;
}

function Source({ origin }: { origin: Origin | null }) {
  const [shown, setShown] = useState<{ origin: Origin; lines: string[] } | null>(null);
  useSignalEffect(() => {
    const origin = span.value?.origin;
    const path = origin === null || origin === undefined ? null : address(origin.file);
    if (path === null || origin === null || origin === undefined) return setShown(null);
    void fetchSource(path).then((files) => {
      if (span.peek()?.origin !== origin) return;
      const file = files.find((one) => one.file === origin.file);
      setShown(file === undefined ? null : { origin, lines: file.text.split("\n") });
    });
  });
  if (shown === null || origin === null || shown.origin.file !== origin.file) return null;
  const line = origin.line ?? 1;
  const first = Math.max(1, line - AROUND);
  return (
    <pre class="source" aria-label="Source" tabIndex={0}>
      {shown.lines.slice(first - 1, line + AROUND).map((text, at) => (
        <div key={at} data-here={first + at === line}>
          <span class="number">{first + at}</span>
          {text}
          {"\n"}
        </div>
      ))}
    </pre>
  );
}
