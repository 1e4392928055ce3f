// What is asked for: the variant, a few shorthands, the context.
// In: lists from the server. Out: changes of the shared state. Never: asks for a build itself.

import { signal } from "@preact/signals";
import { Editor } from "../editor/Editor";
import { built, schema, tools, variants } from "../live";
import { change, contextText, machine, parseContext, shared, type Ask } from "../state";
import { More } from "./More";
import { Choice, Field } from "./parts";
import { Walk } from "./Walk";

/** Whether the panel is shown where there is room for one column only. */
const open = signal(false);
const name = signal("");

const put = (part: Partial<Ask>): void => change({ ask: { ...shared.peek().ask, ...part } });

export function Setup() {
  const { ask } = shared.value;
  return (
    <section class="setup" aria-label="What is asked for" data-open={open.value}>
      <button type="button" class="fold" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
        Variant and context
      </button>
      <div class="folded">
        <div class="fields">
          <Choice label="Variant" value={ask.variant} options={choices()} onValue={(variant) => put({ variant })} />
          <Field label="Model" value={ask.model} hint="the context's" onValue={(model) => put({ model })} />
          <Field label="Provider" value={ask.provider} hint="the context's" onValue={(provider) => put({ provider })} />
          <Choice
            label="Mode"
            value={ask.mode}
            options={[
              ["", "the context's"],
              ["act", "act"],
              ["plan", "plan"],
            ]}
            onValue={(mode) => put({ mode })}
          />
          <Field
            label="Token budget"
            type="number"
            value={ask.budget}
            hint="none"
            onValue={(budget) => put({ budget })}
          />
        </div>
        <More />
        <Walk result={built.value.result} />
        <Context />
      </div>
    </section>
  );
}

/** Every variant, and each version and label of those that have several. */
export function choices(): (readonly [string, string])[] {
  const each = variants.value.flatMap((one) => {
    const versions = (one.versions ?? []).length > 1 ? (one.versions ?? []) : [];
    const exact = [...versions.map(String), ...Object.keys(one.labels ?? {})];
    return [one.id, ...exact.map((which) => `${one.id}@${which}`)];
  });
  return [["", "let it match"], ...each.map((id) => [id, id] as const)];
}

function Context() {
  const text = contextText.value;
  const { kept, context } = shared.value;
  const known = { schema: schema.value, tools: tools.value.map((tool) => tool.id) };
  return (
    <div class="context">
      <div class="heading">
        <h2>Context</h2>
        {context !== null && context !== machine.value && (
          <button type="button" onClick={() => change({ context: null })}>
            Reset
          </button>
        )}
      </div>
      {text === null ? (
        <div class="editor" />
      ) : (
        <Editor label="Context, as JSON" text={text} known={known} onEdit={(edited) => change({ context: edited })} />
      )}
      {text !== null && parseContext(text) === null && (
        <p class="refusal" role="status">
          this is no JSON object: the last one that was is shown
        </p>
      )}
      <form class="keep" onSubmit={keep}>
        <Field
          label="Keep it as"
          value={name.value}
          hint="a name, to compare later"
          onValue={(value) => (name.value = value)}
        />
        <button type="submit">Keep</button>
      </form>
      {kept.length > 0 && (
        <ul class="kept" aria-label="Kept contexts">
          {kept.map((one) => (
            <li key={one.name}>
              <button type="button" onClick={() => change({ context: one.text })}>
                {one.name}
              </button>
              <button
                type="button"
                aria-label={`Forget ${one.name}`}
                onClick={() => change({ kept: kept.filter((other) => other !== one) })}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function keep(event: Event): void {
  event.preventDefault();
  const text = contextText.peek();
  const called = name.peek().trim();
  if (called === "" || text === null) return;
  change({ kept: [...shared.peek().kept.filter((one) => one.name !== called), { name: called, text }] });
  name.value = "";
}
