// Sessions.
//
// In: contexts. Out: prompts whose bytes stay as they are until what they are made of changes. Never: builds two at once.

import { background } from "./background.cjs";
import { PromptweaveError, tell } from "./error.cjs";
import type { Callers } from "./host.cjs";
import { context as contextText, options as json } from "./input.cjs";
import { KnownContext } from "./known.cjs";
import { addon, CLOSED, KEY, registry } from "./native.cjs";
import { Prompt } from "./prompt.cjs";
import type { Ask, BackgroundOptions, Clock, Context } from "./types.cjs";

const sessions = registry((number) => addon.sessionClose(number));

/** Builds the prompts of one conversation. */
export class Session {
  #number: number;
  readonly #callers: Callers | null;
  /** The context of the last prompt, which the native half has still. */
  #context: KnownContext | undefined;
  #last: Prompt | undefined;
  /** The builds in the background, which wait for each other. */
  #waiting = 0;
  #turn: Promise<unknown> = Promise.resolve();

  /** @internal */
  constructor(key: typeof KEY, number: number, callers: Callers | null) {
    if (key !== KEY) throw new TypeError("sessions are made by engines");
    this.#number = number;
    this.#callers = callers;
    sessions.register(this, number, this);
  }

  /** Builds the prompt of the variant that matches the context, or hands out the last one when nothing has changed. */
  prompt(context: Context, ask?: Ask): Prompt {
    this.#alone();
    const known = this.#context;
    const text = known?.says(context) ? known.text : contextText(context);
    const asked = json(ask);
    const last = this.#last;
    // What reads the context and the options may have built something itself.
    const isKnown = last !== undefined && Prompt.isOpen(last) && known === this.#context && known?.is(text);
    const caller = this.#callers?.here;
    const number = tell(() => addon.sessionPrompt(this.#number, isKnown ? null : text, asked, caller));
    if (number === null && last !== undefined) return last;
    if (!isKnown) this.#context = new KnownContext(text);
    return (this.#last = new Prompt(KEY, number ?? CLOSED));
  }

  /** The same on another thread. Builds of one session wait for each other; meanwhile the session takes no other call. */
  promptAsync(context: Context, ask?: Ask, { signal }: BackgroundOptions = {}): Promise<Prompt> {
    return background(() => {
      const text = contextText(context);
      const asked = json(ask);
      const begin = () => {
        signal?.throwIfAborted();
        return addon.sessionPromptAsync(this.#number, text, asked, this.#callers?.there);
      };
      const done = this.#turn.then(begin).finally(() => (this.#waiting -= 1));
      this.#waiting += 1;
      this.#turn = done.catch(() => {});
      return done;
    }, signal);
  }

  /** Forgets everything but the clock, as after `/clear` or `/compact`; with a clock it shows what that says from now on. */
  reset(clock?: Clock): void {
    this.#alone();
    if (clock === undefined) tell(() => addon.sessionReset(this.#number));
    else tell(() => addon.sessionResetAt(this.#number, json(clock)));
  }

  /** The session as a text for `engine.restore`, with the files of all packs and the values of all contexts. */
  save(): string {
    this.#alone();
    return tell(() => addon.sessionSave(this.#number));
  }

  /** Lets go of its memory now; the garbage collector does it later. */
  close(): void {
    if (this.#number === CLOSED) return;
    sessions.unregister(this);
    addon.sessionClose(this.#number);
    this.#number = CLOSED;
  }

  /** A call that would wait for a build in the background would keep that build from its components. */
  #alone(): void {
    if (this.#waiting === 0) return;
    const message = "the session is building in the background";
    throw new PromptweaveError({ code: "thread-wrong", message, help: "await that build first" });
  }
}
