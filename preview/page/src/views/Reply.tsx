// The reply playground: a pasted reply runs through the parser in chunks, event by event.
// In: a reply, options. Out: events, and the blocks as they stood after each. Never: runs a tool call.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { events as read, Problem, refusal, send } from "../api";
import { built } from "../live";
import { change, shared, type Playground } from "../state";
import { blocks, type Seen } from "../text/replay";
import type { ReplyEvent } from "../types";
import { Choice, Empty, Field, Refusal } from "./parts";

/** The dialects that the parser ships. */
const DIALECTS = [
  "auto",
  "xml",
  "cohere",
  "deepseek",
  "dsml",
  "glm",
  "harmony",
  "hermes",
  "invoke",
  "kimi",
  "legacy",
  "llama",
  "minimax",
  "mistral",
  "prefixed",
  "qwen3-coder",
];
const STOPS = ["", "end_turn", "tool_use", "max_tokens", "stop_sequence"];

const put = (part: Partial<Playground>): void => change({ reply: { ...shared.peek().reply, ...part } });

export function Reply() {
  const { reply } = shared.value;
  const run = useRun();
  return (
    <>
      <form
        class="reply"
        onSubmit={(event) => {
          event.preventDefault();
          void run.start(reply);
        }}
      >
        <label for="reply-text">Reply of a model</label>
        <textarea
          id="reply-text"
          rows={8}
          spellcheck={false}
          value={reply.text}
          onInput={(event) => put({ text: event.currentTarget.value })}
        />
        <div class="tools">
          <Field label="Chunk, in bytes" type="number" value={reply.chunk} onValue={(chunk) => put({ chunk })} />
          <Choice
            label="Parsing"
            value={reply.mode}
            options={[
              ["robust", "robust"],
              ["exact", "exact"],
            ]}
            onValue={(mode) => put({ mode })}
          />
          <Choice
            label="Dialect"
            value={reply.dialect}
            options={[["", "the variant's"], ...DIALECTS.map((one) => [one, one] as const)]}
            onValue={(dialect) => put({ dialect })}
          />
          <Choice
            label="Stop reason"
            value={reply.stop}
            options={STOPS.map((one) => [one, one === "" ? "not ended" : one])}
            onValue={(stop) => put({ stop })}
          />
          <button type="submit" class="main">
            Stream it
          </button>
        </div>
      </form>
      <Refusal problem={run.problem} />
      {run.events.length === 0 ? (
        <Empty>
          Paste a reply, choose how large its chunks are, and stream it. The tools and the dialect are those of the
          variant that is shown.
        </Empty>
      ) : (
        <Stream events={run.events} running={run.running} />
      )}
    </>
  );
}

interface Run {
  events: ReplyEvent[];
  problem: Problem | null;
  running: boolean;
  start: (reply: Playground) => Promise<void>;
}

function useRun(): Run {
  const [events, setEvents] = useState<ReplyEvent[]>([]);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [running, setRunning] = useState(false);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const start = async (reply: Playground): Promise<void> => {
    stop.current.abort();
    const mine = (stop.current = new AbortController()).signal;
    const got: ReplyEvent[] = [];
    let frame = 0;
    const show = (): void => setEvents([...got]);
    setProblem(null);
    setRunning(true);
    try {
      await read(await send("/v1/parse", body(reply), mine, "text/event-stream"), (name, data) => {
        if (name === "done") return;
        if (name === "error") throw refusal(200, JSON.parse(data));
        got.push(JSON.parse(data) as ReplyEvent);
        cancelAnimationFrame(frame);
        frame = requestAnimationFrame(show);
      });
      if (!mine.aborted) show();
    } catch (error) {
      if (!mine.aborted) setProblem(error instanceof Problem ? error : new Problem(0, String(error)));
    }
    if (!mine.aborted) setRunning(false);
  };
  return { events, problem, running, start };
}

function body(reply: Playground): { [key: string]: string | number } {
  const asked: { [key: string]: string | number } = {
    reply: reply.text,
    mode: reply.mode,
    chunk: Math.max(1, Number.parseInt(reply.chunk, 10) || 1),
  };
  if (reply.dialect !== "") asked["dialect"] = reply.dialect;
  const variant = built.peek().result?.variant;
  if (variant !== undefined) asked["variant"] = `${variant.id}@${variant.version}`;
  if (reply.stop !== "") asked["stop_reason"] = reply.stop;
  return asked;
}

function Stream({ events, running }: { events: ReplyEvent[]; running: boolean }) {
  const [upTo, setUpTo] = useState<number | null>(null);
  const shown = Math.min(upTo ?? events.length, events.length);
  const seen = useMemo(() => blocks(events.slice(0, shown)), [events, shown]);
  const last = events[shown - 1];
  return (
    <>
      <div class="scrub">
        <label for="reply-scrub">
          Event {shown} of {events.length}
          {running ? ", more to come" : ""}
        </label>
        <input
          id="reply-scrub"
          type="range"
          min={0}
          max={events.length}
          value={shown}
          onInput={(event) => {
            const at = Number(event.currentTarget.value);
            setUpTo(at === events.length ? null : at);
          }}
        />
        <code class="event">{last === undefined ? "nothing yet" : JSON.stringify(last)}</code>
      </div>
      <ol class="cards blocks" aria-label="Blocks">
        {seen.map((one, at) => (
          <One key={at} seen={one} />
        ))}
      </ol>
      <details class="card">
        <summary>
          <strong>All events</strong> <span class="count">{events.length}</span>
        </summary>
        <ol class="events">
          {events.map((event, at) => (
            <li key={at} data-here={at === shown - 1}>
              <code>{JSON.stringify(event)}</code>
            </li>
          ))}
        </ol>
      </details>
    </>
  );
}

function One({ seen: { block, open } }: { seen: Seen }) {
  return (
    <li class={`card block-${block.type}`} data-open={open}>
      <p class="top">
        <strong>{block.type === "tool_use" ? block.name : block.type}</strong>
        <span class="count">
          {open ? "open" : block.type === "tool_use" ? `closed: ${block.end ?? "?"}` : "closed"}
          {block.partial === true ? ", partial" : ""}
        </span>
        {block.repaired !== undefined && <span class="warned">repaired</span>}
      </p>
      {block.type === "tool_use" ? (
        <dl class="facts">
          {Object.entries(block.params ?? {}).map(([name, value]) => (
            <>
              <dt key={name}>{name}</dt>
              <dd>
                <pre>{typeof value === "string" ? value : JSON.stringify(value)}</pre>
              </dd>
            </>
          ))}
        </dl>
      ) : (
        <pre class="content">{block.content}</pre>
      )}
    </li>
  );
}
