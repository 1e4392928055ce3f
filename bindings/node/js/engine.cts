// Engines.
//
// In: options, components of the host, contexts. Out: prompts, sessions, parsers, diagnostics. Never: reads a clock, a
// folder or the environment on its own.

import { background } from "./background.cjs";
import { tell } from "./error.cjs";
import { type Callers, callers } from "./host.cjs";
import { context as contextText, options as json, text } from "./input.cjs";
import { addon, CLOSED, KEY, pluginHost, registry } from "./native.cjs";
import { Parser } from "./parser.cjs";
import { Prompt } from "./prompt.cjs";
import { Session } from "./session.cjs";
import type {
  Ask, BackgroundOptions, Component, Context, Diagnostic, EngineOptions, ParserOptions, Probed, SessionOptions,
} from "./types.cjs";

const engines = registry((number) => addon.engineClose(number));

/** Builds prompts from packs and components. It never changes; to reload, make a new one. */
export class Engine {
  #number: number;
  readonly #callers: Callers | null;

  /** Loads packs and plugins. Mistakes in packs are no errors but `diagnostics`, except with `strict`. */
  constructor(options?: EngineOptions, components: readonly Component[] = []) {
    const asked = json(withHost(options));
    const all = [...components];
    const declared = all.map((component) => declaration(component));
    this.#callers = callers(all);
    this.#number = tell(() => addon.engineNew(asked, declared));
    engines.register(this, this.#number, this);
  }

  /** Every mistake of loading. */
  get diagnostics(): readonly Diagnostic[] {
    return JSON.parse(tell(() => addon.engineDiagnostics(this.#number))) as Diagnostic[];
  }

  /** The same with a closer look at all templates, conditions and names, as `promptweave check` takes it. */
  check(): readonly Diagnostic[] {
    const caller = this.#callers?.here;
    return JSON.parse(tell(() => addon.engineCheck(this.#number, caller))) as Diagnostic[];
  }

  /** Builds the prompt of the variant that matches the context. */
  prompt(context: Context, ask?: Ask): Prompt {
    const given = contextText(context);
    const asked = json(ask);
    const caller = this.#callers?.here;
    return new Prompt(KEY, tell(() => addon.enginePrompt(this.#number, given, asked, caller)));
  }

  /** The same on another thread. Components are still called on this one, and so keep their deadline only when it is free. */
  promptAsync(context: Context, ask?: Ask, { signal }: BackgroundOptions = {}): Promise<Prompt> {
    const caller = this.#callers?.there;
    return background(
      () => addon.enginePromptAsync(this.#number, contextText(context), json(ask), caller),
      signal,
    );
  }

  /** Lets the probes of plugins fill what the context does not say. */
  probe(context: Context): Probed {
    const given = contextText(context);
    const [probed = "", told = ""] = tell(() => addon.engineProbe(this.#number, given));
    return {
      context: JSON.parse(probed) as Record<string, unknown>,
      diagnostics: JSON.parse(told) as Diagnostic[],
    };
  }

  /** Begins a session. */
  session(options?: SessionOptions): Session {
    const asked = json(options);
    return new Session(KEY, tell(() => addon.sessionNew(this.#number, asked)), this.#callers);
  }

  /** Goes on with a session that was saved; of the options only `probes` counts. */
  restore(saved: string, options?: SessionOptions): Session {
    const given = text(saved, "the saved session");
    const asked = json(options);
    const number = tell(() => addon.sessionRestore(this.#number, given, asked));
    return new Session(KEY, number, this.#callers);
  }

  /** A parser for one reply, by default with the tools of this engine's packs. */
  parser(options?: ParserOptions): Parser {
    return new Parser(options, KEY, this.#number);
  }

  /** Lets go of its memory and its plugins now; the garbage collector does it later. Sessions and prompts live on. */
  close(): void {
    if (this.#number === CLOSED) return;
    engines.unregister(this);
    addon.engineClose(this.#number);
    this.#number = CLOSED;
  }
}

/** What a component declares, without the function. */
function declaration(component: Component): string {
  if (typeof component?.call !== "function") {
    throw new TypeError("a component is an object with an `id` and a function `call`");
  }
  const { call, ...declared } = component;
  return json(declared) ?? "";
}

/** Plugins run in the program that comes with this package, unless another one is named. */
function withHost(options: EngineOptions | undefined): EngineOptions | undefined {
  const plugins = options?.plugins;
  if (typeof plugins !== "object" || plugins === null || plugins.host !== undefined) return options;
  return { ...options, plugins: { ...plugins, host: pluginHost } };
}
