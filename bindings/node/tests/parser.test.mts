// The parser, however a reply comes.

import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";

import { Parser, type ReplyEvent } from "promptweave";

const options = {
  specs: { tools: { write: { params: { path: "scalar", content: "raw" } }, read: { params: { path: "scalar" } } } },
};
const reply =
  "I look \u2014 \u{1f980}\ufffd at it.\n\n<thinking>\nIs it there?\n</thinking>\n<read>\n<path>src/größe.rs</path>\n</read>\n" +
  "<write>\n<path>a.md</path>\n<content>\n# Title \u{1f980}\n\nMore   text.\n</content>\n</write>\nDone \u{1f980}";

function cut(chunks: Iterable<string | Uint8Array>): { events: ReplyEvent[]; parser: Parser } {
  const parser = new Parser(options);
  const events = [...chunks].flatMap((chunk) => [...parser.push(chunk)]);
  return { events: [...events, ...parser.finish("end_turn")], parser };
}

/** The events with neighbours of one kind joined. */
function joined(events: Iterable<ReplyEvent>): any[] {
  const all: any[] = [];
  for (const event of events) {
    const last = all.at(-1);
    const isMore = "text" in event && last?.event === event.event && last.index === event.index;
    if (isMore && last.name === ("name" in event ? event.name : undefined)) last.text += event.text;
    else all.push({ ...event });
  }
  return all;
}

function* pieces<T extends { length: number; slice(from: number, to: number): T }>(all: T, size: number): Generator<T> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}

const whole = cut([reply]);

test("blocks", () => {
  const kinds = whole.parser.blocks.map((block) => (block.type === "tool_use" ? block.name : block.type));
  assert.deepEqual(kinds, ["text", "reasoning", "read", "write", "text"]);
  assert.equal(JSON.stringify(whole.parser.blocks).includes("größe.rs"), true);
});

for (let size = 1; size <= 40; size += 1) {
  test(`by ${size}`, () => {
    for (const chunks of [pieces(reply, size), pieces(Buffer.from(reply), size)]) {
      const { events, parser } = cut(chunks);
      assert.deepEqual(joined(events), joined(whole.events));
      assert.deepEqual(parser.blocks, whole.parser.blocks);
    }
  });
}

test("strings and bytes give the same events", () => {
  const ascii = reply.replace(/[^\x00-\x7f]/gu, "x");
  for (const size of [1, 3, 8]) {
    const bytes = cut(pieces(Buffer.from(ascii), size)).events;
    assert.deepEqual(cut(pieces(ascii, size)).events, bytes);
  }
});

test("surrogates alone", () => {
  const parser = new Parser(options);
  assert.throws(() => parser.push("a\udd80b"), { code: "not-utf8" });
  assert.throws(() => parser.push("a\ud83eb"), { code: "not-utf8" });
  // Nothing of them was taken; a half at the end waits for the other.
  assert.deepEqual(joined(parser.push("a\ud83e")), [
    { event: "opened", index: 0, id: "text_0", kind: "text" },
    { event: "delta", index: 0, text: "a" },
  ]);
  assert.deepEqual(joined(parser.push("\udd80b")), [{ event: "delta", index: 0, text: "\u{1f980}b" }]);
  parser.push("\ud83e");
  assert.deepEqual(joined(parser.finish()), [{ event: "delta", index: 0, text: "\ufffd" }]);
});

test("halves of characters", () => {
  const parser = new Parser(options);
  parser.push("a\ud83e");
  assert.throws(() => parser.push("no"), { code: "not-utf8" });
  const told = [...parser.push("\udd80b"), ...parser.push("\ud83e"), ...parser.push(Buffer.from("c")), ...parser.push("d\ud83e")];
  assert.throws(() => parser.finish("other"), { code: "stop-reason-unknown" });
  told.push(...parser.finish("end_turn"));
  const deltas = told.map((event) => (event.event === "delta" ? event.text : ""));
  assert.equal(deltas.join(""), "\u{1f980}b\ufffdcd\ufffd");
  assert.deepEqual(parser.blocks.map((block) => "content" in block && block.content), ["a\u{1f980}b\ufffdcd\ufffd"]);
});

test("streams", async () => {
  const sources = [Readable.from(pieces(reply, 7)), Readable.toWeb(Readable.from(pieces(reply, 7))), pieces(reply, 7)];
  for (const source of sources) {
    const events = [];
    const chunks = source as AsyncIterable<string>;
    for await (const event of new Parser(options).read(chunks, { reason: () => "end_turn" })) events.push(event);
    assert.deepEqual(joined(events), joined(whole.events));
  }
});

test("a stage between streams", async () => {
  const events: ReplyEvent[] = [];
  const source = Readable.toWeb(Readable.from(pieces(Buffer.from(reply), 7))) as unknown as ReadableStream<Uint8Array>;
  await source
    .pipeThrough(new Parser(options).transform({ reason: "end_turn" }))
    .pipeTo(new WritableStream({ write: (event) => void events.push(event) }));
  assert.deepEqual(joined(events), joined(whole.events));
});

test("bytes that are gone, shared or empty", () => {
  const gone = new Uint8Array(4);
  structuredClone(gone.buffer, { transfer: [gone.buffer] });
  for (const chunk of [gone, new Uint8Array(), "", Buffer.alloc(0)]) {
    assert.deepEqual(new Parser(options).push(chunk), []);
  }
  const shared = new Uint8Array(new SharedArrayBuffer(2)).fill(65);
  assert.equal(new Parser(options).push(shared).length, 2);
});
