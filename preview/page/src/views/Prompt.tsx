// The prompt, each span coloured, in chunks that are laid out only when they come into sight.
// In: the latest build, what is pointed at. Out: text nodes. Never: markup from a prompt.

import { useSignalEffect } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { built } from "../live";
import { hovered, jump, jumps, pinned, pointed } from "../point";
import { change, shared } from "../state";
import { chunks, type Piece } from "../text/pieces";
import { tints, written } from "../text/place";
import type { Result, Span } from "../types";
import { Beside } from "./Beside";
import { Legend } from "./Legend";
import { Copy, Empty, Switch } from "./parts";

export function Prompt() {
  const result = built.value.result;
  if (result === null) return <Empty>{built.value.pending ? "Building…" : "There is no prompt yet."}</Empty>;
  return (
    <>
      <div class="tools">
        <Switch
          label="Colour by"
          value={shared.value.colour}
          options={[
            ["class", "Cache class"],
            ["origin", "Origin"],
          ]}
          onValue={(value) => change({ colour: value === "origin" ? "origin" : "class" })}
        />
        <span class="grow" />
        <Copy label="Copy prompt" text={() => result.text} />
        <Legend result={result} />
      </div>
      <Text result={result} />
      <Beside result={result} />
    </>
  );
}

const indexOf = (target: EventTarget | null): number => {
  const index = target instanceof Element ? target.closest<HTMLElement>("[data-i]")?.dataset["i"] : undefined;
  return index === undefined ? -1 : Number(index);
};

function Text({ result }: { result: Result }) {
  const host = useRef<HTMLDivElement>(null);
  const [tip, setTip] = useState<{ x: number; y: number; span: Span } | null>(null);
  const drawn = useMemo(() => <Chunks result={result} />, [result]);
  usePointed(host, result);
  const tell = (event: MouseEvent): number => {
    const index = indexOf(event.target);
    const span = result.spans[index];
    setTip(span === undefined ? null : { x: event.clientX, y: event.clientY, span });
    return index;
  };
  const leave = (): void => {
    hovered.value = -1;
    setTip(null);
  };
  return (
    <>
      <div
        class={`prompt by-${shared.value.colour}`}
        ref={host}
        role="document"
        aria-label="Prompt; left and right arrows go from span to span"
        tabIndex={0}
        onPointerOver={(event) => (hovered.value = tell(event))}
        onPointerLeave={leave}
        onClick={(event) => (pinned.value = tell(event))}
        onKeyDown={(event) => step(event, result)}
        onCopy={copy}
      >
        {drawn}
      </div>
      {tip !== null && <Tip {...tip} />}
    </>
  );
}

/** Arrows go from span to span; the text scrolls along. */
function step(event: KeyboardEvent, result: Result): void {
  const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
  if (event.key === "Escape") pinned.value = -1;
  if (by === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  jump(Math.min(Math.max(pinned.peek() + by, 0), result.spans.length - 1));
}

/** The selection's characters alone: the blocks that hold the chunks would add line ends. */
function copy(event: ClipboardEvent): void {
  event.clipboardData?.setData(
    "text/plain",
    getSelection()?.toString() === "" ? "" : (getSelection()?.getRangeAt(0).toString() ?? ""),
  );
  event.preventDefault();
}

function Tip({ x, y, span }: { x: number; y: number; span: Span }) {
  const own = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const box = own.current;
    if (box === null) return;
    const left = Math.min(x + 12, innerWidth - box.offsetWidth - 8);
    const top = y + 20 + box.offsetHeight > innerHeight ? y - box.offsetHeight - 8 : y + 20;
    box.style.transform = `translate(${Math.max(4, left)}px, ${top}px)`;
  });
  return (
    <div class="tip" role="tooltip" ref={own}>
      <strong>{span.id ?? span.kind}</strong> {span.class}
      <div>{written(span.origin)}</div>
    </div>
  );
}

/** Marks what is pointed at, and brings what was jumped to into sight. */
function usePointed(host: { current: HTMLElement | null }, result: Result): void {
  const mark = (): void => {
    host.current?.querySelectorAll(".pointed").forEach((one) => one.classList.remove("pointed"));
    host.current?.querySelectorAll(`[data-i="${pointed.value}"]`).forEach((one) => one.classList.add("pointed"));
  };
  useSignalEffect(mark);
  useEffect(mark, [result]);
  useSignalEffect(() => {
    if (jumps.value === seen) return;
    seen = jumps.value;
    requestAnimationFrame(() =>
      host.current?.querySelector(`[data-i="${pinned.peek()}"]`)?.scrollIntoView({ block: "nearest" }),
    );
  });
}
let seen = 0;

function Chunks({ result }: { result: Result }) {
  const cut = useMemo(() => chunks(result), [result]);
  const colours = useMemo(() => classes(result), [result]);
  return (
    <>
      {cut.map((chunk) => (
        <div class="chunk" key={chunk.key}>
          {chunk.pieces.map((piece, at) => draw(piece, at, colours))}
        </div>
      ))}
    </>
  );
}

function classes(result: Result): string[] {
  const tint = tints(result);
  return result.spans.map(
    (span) =>
      `span ${span.class} t${span.kind === "tidy" || span.origin === null ? "x" : (tint.get(span.origin.file) ?? "x")}`,
  );
}

function draw(piece: Piece, at: number, colours: string[]) {
  switch (piece.kind) {
    case "text":
      return (
        <span key={at} class={colours[piece.span]} data-i={piece.span}>
          {piece.text}
        </span>
      );
    case "border":
      return <span key={at} class={`border ${piece.class}`} data-label={piece.label} />;
  }
}
