// What one provider's API is sent, with its cache marks.
// In: a target. Out: headers, marks and body. Never: changes a byte of what `Copy` puts on the clipboard.

import { send } from "../api";
import { useAnswer } from "../answer";
import { built } from "../live";
import { change, current, currentKey, generation, shared, TARGETS } from "../state";
import type { Json, Payload } from "../types";
import { Choice, Copy, Count, Empty, Refusal } from "./parts";

export function PayloadView() {
  const target = shared.value.target;
  const answer = useAnswer(`${target} ${generation.value} ${currentKey.value}`, (stop) => fetchPayload(target, stop));
  return (
    <>
      <div class="tools">
        <Choice
          label="Provider's API"
          value={target}
          options={TARGETS.map((one) => [one, one])}
          onValue={(value) => change({ target: value })}
        />
        <span class="grow" />
        <Copy label="Copy body" text={() => JSON.stringify(answer.value?.payload.body ?? {}, null, 2)} />
      </div>
      <Refusal problem={answer.problem} />
      {answer.value === null ? (
        <Empty>{answer.pending ? "Building…" : "There is no payload."}</Empty>
      ) : (
        <Whole told={answer.value} />
      )}
    </>
  );
}

interface Told {
  payload: Payload;
  /** Codes of what was told: of the prompt, and of what the API could not keep. */
  codes: string[];
}

async function fetchPayload(target: string, stop: AbortSignal): Promise<Told> {
  const response = await send("/v1/build", { ...current.peek(), format: target }, stop);
  const codes = response.headers.get("promptweave-diagnostics") ?? "";
  return { payload: (await response.json()) as Payload, codes: codes.split(", ").filter((code) => code !== "") };
}

/** The keys by which the providers mark what is cached. */
const MARKS = ["cache_control", "cachePoint", "prompt_cache_key", "prompt_cache_breakpoint", "prompt_cache_retention"];

interface Mark {
  path: string;
  key: string;
  value: Json;
}

function marks(value: Json, path: string): Mark[] {
  if (typeof value !== "object" || value === null) return [];
  const entries = Array.isArray(value)
    ? value.map((one, at) => [`[${at}]`, one] as const)
    : Object.entries(value).map(([key, one]) => [`.${key}`, one] as const);
  return entries.flatMap(([step, one]) => {
    const key = step.slice(1);
    return MARKS.includes(key)
      ? [{ path: path === "" ? "body" : path, key, value: one }]
      : marks(one, path === "" ? key : `${path}${step}`);
  });
}

function Whole({ told: { payload, codes } }: { told: Told }) {
  const known = built.value.result?.diagnostics.map((one) => one.code) ?? [];
  const added = codes.filter((code) => !known.includes(code));
  const found = marks(payload.body, "");
  const headers = Object.entries(payload.headers);
  return (
    <>
      <section class="block" aria-label="Cache marks">
        <h3>
          Cache marks <span class="count">{found.length}</span>
        </h3>
        {found.length === 0 && <Empty>None: this API caches by itself, or nothing is worth a mark.</Empty>}
        {added.length > 0 && (
          <p class="warned">
            Told of this payload: <code>{added.join(", ")}</code>
          </p>
        )}
        <ul class="marks">
          {found.map((one) => (
            <li key={one.path + one.key}>
              <span class="path">{one.path}</span>{" "}
              <code class="mark">
                {one.key}: {JSON.stringify(one.value)}
              </code>
            </li>
          ))}
        </ul>
      </section>
      {headers.length > 0 && (
        <section class="block" aria-label="Headers">
          <h3>Headers</h3>
          <dl class="facts">
            {headers.map(([name, value]) => (
              <>
                <dt key={name}>{name}</dt>
                <dd class="path">{value}</dd>
              </>
            ))}
          </dl>
        </section>
      )}
      <section class="block" aria-label="Body">
        <h3>
          Body <Count of={new TextEncoder().encode(JSON.stringify(payload.body)).length} unit="bytes" />
        </h3>
        <div class="tree">
          <Node value={payload.body} />
        </div>
      </section>
    </>
  );
}

/** From this many characters on a string is shown as the text that it is. */
const LONG = 80;

function Node({ value }: { value: Json }) {
  if (typeof value === "string" && (value.length > LONG || value.includes("\n")))
    return <div class="long">{value}</div>;
  if (typeof value !== "object" || value === null)
    return <code class={typeof value === "string" ? "string" : "atom"}>{JSON.stringify(value)}</code>;
  const list = Array.isArray(value);
  const entries: [string, Json][] = list ? value.map((one, at) => [String(at), one]) : Object.entries(value);
  if (entries.length === 0) return <code class="atom">{list ? "[]" : "{}"}</code>;
  return (
    <ul class={list ? "items" : "keys"}>
      {entries.map(([key, one]) => (
        <li key={key} class={MARKS.includes(key) ? "mark" : ""}>
          <span class="key">{list ? `[${key}]` : key}</span>{" "}
          {MARKS.includes(key) ? <code>{JSON.stringify(one)}</code> : <Node value={one} />}
        </li>
      ))}
    </ul>
  );
}
