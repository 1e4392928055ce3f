// Prompts.
//
// In: the number of a prompt. Out: its text, results, payloads, each made when it is asked for. Never: builds anything anew.

import { tell } from "./error.cjs";
import { options as json, text } from "./input.cjs";
import { addon, CLOSED, KEY, registry } from "./native.cjs";
import type {
  Block, Delivered, DeliveryOptions, Diagnostic, Layers, Payloads, Result, ResultOptions, Section, SystemPrompt, Target,
} from "./types.cjs";

const prompts = registry((number) => addon.promptClose(number));

/** A finished prompt. What is asked for is made once, and kept. */
export class Prompt {
  #number: number;
  #text: SystemPrompt | undefined;
  #blocks: readonly Block[] | undefined;
  #layers: Layers | undefined;
  #sections: readonly Section[] | undefined;
  #diagnostics: readonly Diagnostic[] | undefined;
  #result: Result | undefined;

  /** @internal */
  constructor(key: typeof KEY, number: number) {
    if (key !== KEY) throw new TypeError("prompts are made by engines and sessions");
    this.#number = number;
    prompts.register(this, number, this);
  }

  /** The text. */
  get text(): SystemPrompt {
    return (this.#text ??= tell(() => addon.promptText(this.#number)) as SystemPrompt);
  }

  /** The id of the variant that it was made of. */
  get variant(): string {
    return tell(() => addon.promptVariant(this.#number));
  }

  /** The sections that are there, in order. */
  get sections(): readonly Section[] {
    return (this.#sections ??= tell(() => addon.promptSections(this.#number)).map(
      ([id = "", text = ""]) => ({ id, text }),
    ));
  }

  /** The text of a section; null when it is not there. */
  section(id: string): string | null {
    const named = text(id, "the id");
    return tell(() => addon.promptSection(this.#number, named));
  }

  /** Its text in runs of one cache scope. */
  get blocks(): readonly Block[] {
    return (this.#blocks ??= JSON.parse(tell(() => addon.promptBlocks(this.#number))) as Block[]);
  }

  /** Its layers with their texts and weights, as `promptweave layers --json` prints them. */
  get layers(): Layers {
    return (this.#layers ??= JSON.parse(tell(() => addon.promptLayers(this.#number))) as Layers);
  }

  /** What was met while building. */
  get diagnostics(): readonly Diagnostic[] {
    const read = () => tell(() => addon.promptDiagnostics(this.#number));
    return (this.#diagnostics ??= JSON.parse(read()) as Diagnostic[]);
  }

  /** Everything about it, as `promptweave build --format json` prints it; offsets are bytes. */
  get result(): Result {
    return (this.#result ??= this.resultWith());
  }

  /** The same with other offsets: `utf16` are those of strings here. */
  resultWith(options?: ResultOptions): Result {
    const asked = json(options);
    return JSON.parse(tell(() => addon.promptResult(this.#number, asked))) as Result;
  }

  /** The payload for an API, with the tools of the context. */
  deliver<T extends Target>(target: T, options?: DeliveryOptions): Delivered<Payloads[T]> {
    const [named, asked] = [text(target, "the target"), json(options)];
    const [payload = "", diagnostics = ""] = tell(() => addon.promptDeliver(this.#number, named, asked));
    const { headers, body } = JSON.parse(payload) as Omit<Delivered<Payloads[T]>, "diagnostics">;
    return { headers, body, diagnostics: JSON.parse(diagnostics) as Diagnostic[] };
  }

  /** The text. */
  toString(): string {
    return this.text;
  }

  /** Lets go of its memory now; the garbage collector does it later. What was read before can still be read. */
  close(): void {
    if (this.#number === CLOSED) return;
    prompts.unregister(this);
    addon.promptClose(this.#number);
    this.#number = CLOSED;
  }

  /** @internal */
  static isOpen(prompt: Prompt): boolean {
    return prompt.#number !== CLOSED;
  }
}
