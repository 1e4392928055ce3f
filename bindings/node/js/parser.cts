// The parser of replies.
//
// In: chunks, cut anywhere. Out: events, blocks. Never: runs a call; asks the native half for a text that is here already.

import { types } from "node:util";

import type { Told } from "./addon.cjs";
import { tell, told } from "./error.cjs";
import { isWellFormed, notText, options as json, text } from "./input.cjs";
import { addon, CLOSED, KEY, registry } from "./native.cjs";
import type { ParserOptions, ReadOptions, ReplyBlock, ReplyEvent } from "./types.cjs";

const parsers = registry((number) => addon.parserClose(number));

/** What a chunk changed, as `src/parser.rs` says it in a number. */
const MORE_TEXT = 0;
const DOUBTFUL = 2;
const LOW = 2;
const BITS = 10;
/** A text that begins with it holds more of the text; any other that is no array, of the parameter. */
const TEXT = "t";

const NONE: readonly ReplyEvent[] = Object.freeze([]);

/** Cuts one reply into text, reasoning and tool calls; make a new one for each reply. */
export class Parser {
  #number: number;
  /** What events were about last, as the native half remembers it too. */
  #index = -1;
  #param = "";
  /** The text that was pushed last. */
  #before = "";
  /** The first half of a character that a chunk ended in. */
  #half = "";

  /** A parser with the tools of the standard pack, unless the options name others. */
  constructor(options?: ParserOptions);
  /** @internal */
  constructor(options: ParserOptions | undefined, key: typeof KEY, engine: number);
  constructor(options?: ParserOptions, key?: typeof KEY, engine?: number) {
    const asked = json(options);
    const packs = key === KEY && engine !== undefined ? engine : null;
    this.#number = tell(() => addon.parserNew(packs, asked));
    parsers.register(this, this.#number, this);
  }

  /** Takes a chunk, which may end inside a character, and gives what it changed. After `finish` nothing is taken. */
  push(chunk: string | Uint8Array): readonly ReplyEvent[] {
    if (typeof chunk !== "string") return this.#pushBytes(chunk);
    const last = chunk.charCodeAt(chunk.length - 1);
    if (this.#half !== "" || (last >= 0xd800 && last <= 0xdbff)) return this.#pushHalves(chunk);
    return this.#pushText(chunk);
  }

  /** Ends the reply and gives the last events. `reason` is why the model stopped, as its provider says. */
  finish(reason?: string | null): readonly ReplyEvent[] {
    const named = reason === undefined || reason === null ? null : text(reason, "the reason");
    // What is refused must be so before anything is taken.
    if (this.#half !== "") tell(() => addon.reasonCheck(named));
    const half = this.#endHalf();
    const last = tell(() => addon.parserFinish(this.#number, named));
    return [...half, ...(JSON.parse(last) as ReplyEvent[])];
  }

  /** The blocks so far. */
  get blocks(): readonly ReplyBlock[] {
    return JSON.parse(tell(() => addon.parserBlocks(this.#number))) as ReplyBlock[];
  }

  /** The events of a whole stream, as they come. */
  async *read(
    chunks: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
    options: ReadOptions = {},
  ): AsyncGenerator<ReplyEvent, void, void> {
    for await (const chunk of chunks) yield* this.push(chunk);
    yield* this.finish(reasonOf(options));
  }

  /** The same as a stage between streams. */
  transform(options: ReadOptions = {}): TransformStream<string | Uint8Array, ReplyEvent> {
    return new TransformStream<string | Uint8Array, ReplyEvent>({
      transform: (chunk, stream) => this.push(chunk).forEach((event) => stream.enqueue(event)),
      flush: (stream) => this.finish(reasonOf(options)).forEach((event) => stream.enqueue(event)),
    });
  }

  /** Lets go of its memory now; the garbage collector does it later. */
  close(): void {
    if (this.#number === CLOSED) return;
    parsers.unregister(this);
    addon.parserClose(this.#number);
    this.#number = CLOSED;
  }

  #pushText(chunk: string): readonly ReplyEvent[] {
    let said: Told;
    try {
      said = addon.parserPush(this.#number, chunk);
    } catch (thrown) {
      throw told(thrown);
    }
    const events = said === null ? NONE : this.#told(said, chunk);
    this.#before = chunk;
    return events;
  }

  /** Takes the chunk behind the half before it, and without the half at its end. */
  #pushHalves(chunk: string): readonly ReplyEvent[] {
    const all = this.#half + chunk;
    const last = all.charCodeAt(all.length - 1);
    const isHalf = last >= 0xd800 && last <= 0xdbff;
    const events = this.#pushText(isHalf ? all.slice(0, -1) : all);
    // A chunk that is refused leaves the half before it where it was.
    this.#half = isHalf ? all.slice(-1) : "";
    return events;
  }

  #pushBytes(chunk: unknown): readonly ReplyEvent[] {
    if (!types.isUint8Array(chunk)) throw new TypeError("a chunk is a string or a Uint8Array");
    const half = this.#endHalf();
    const events = this.#told(this.#bytes(chunk), "");
    return half === NONE ? events : [...half, ...events];
  }

  /** The events of a character of which the other half never came. */
  #endHalf(): readonly ReplyEvent[] {
    if (this.#half === "") return NONE;
    const events = this.#told(this.#bytes(Buffer.from("\ufffd")), "");
    this.#half = "";
    return events;
  }

  /** The events that the native half told in short. */
  #told(said: Told, chunk: string): readonly ReplyEvent[] {
    if (typeof said === "number") return this.#inShort(said, chunk);
    if (said === null || said === undefined) return NONE;
    if (said.startsWith("[")) return this.#remember(JSON.parse(said) as ReplyEvent[]);
    return [said.startsWith(TEXT) ? this.#moreText(said.slice(1)) : this.#moreParam(said.slice(1))];
  }

  #inShort(said: number, chunk: string): readonly ReplyEvent[] {
    const what = said & ((1 << LOW) - 1);
    if (what === DOUBTFUL) {
      if (!isWellFormed(chunk)) throw notText("the chunk");
      return this.#told(this.#bytes(Buffer.from(chunk)), chunk);
    }
    const part = said >> LOW;
    const text = part === 0 ? chunk : this.#part(part, chunk);
    return [what === MORE_TEXT ? this.#moreText(text) : this.#moreParam(text)];
  }

  #part(part: number, chunk: string): string {
    const from = part & ((1 << BITS) - 1);
    const all = from <= chunk.length ? chunk : this.#before + chunk;
    return all.slice(all.length - from, all.length - (part >> BITS));
  }

  #moreText(text: string): ReplyEvent {
    return { event: "delta", index: this.#index, text };
  }

  #moreParam(text: string): ReplyEvent {
    return { event: "param_delta", index: this.#index, name: this.#param, text };
  }

  #remember(events: ReplyEvent[]): ReplyEvent[] {
    const last = events.at(-1);
    if (last !== undefined) {
      this.#index = last.index;
      this.#param = "name" in last ? (last.name ?? "") : "";
    }
    return events;
  }

  #bytes(chunk: Uint8Array): Told {
    this.#before = "";
    return tell(() => addon.parserPushBytes(this.#number, chunk));
  }
}

function reasonOf({ reason }: ReadOptions): string | null | undefined {
  return typeof reason === "function" ? reason() : reason;
}
