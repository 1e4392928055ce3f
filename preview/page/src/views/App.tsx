// The page: what is chosen on the left, what it makes in the middle, what is pointed at on the right.
// In: the signals. Out: the frame and its tabs. Never: draws a view itself.

import { locked } from "../api";
import { awaited } from "../answer";
import { encode } from "../fragment";
import { built, connected } from "../live";
import { change, contextText, shared, VIEWS, type View } from "../state";
import { SCHEMES, scheme, type Scheme } from "../theme";
import { Diagnostics } from "./Diagnostics";
import { Diff } from "./Diff";
import { Layers } from "./Layers";
import { Login } from "./Login";
import { Matrix } from "./Matrix";
import { OriginPanel } from "./Origin";
import { Copy, Count, Refusal, Switch } from "./parts";
import { PayloadView } from "./Payload";
import { Prompt } from "./Prompt";
import { Reply } from "./Reply";
import { Setup } from "./Setup";
import { SkippedList } from "./Skipped";

const NAMES: { [view in View]: string } = {
  prompt: "Prompt",
  layers: "Layers",
  payload: "Payload",
  diff: "Diff",
  matrix: "Matrix",
  reply: "Reply",
};

const DRAWN: { [view in View]: () => preact.JSX.Element } = {
  prompt: Prompt,
  layers: Layers,
  payload: PayloadView,
  diff: Diff,
  matrix: Matrix,
  reply: Reply,
};

export function App() {
  if (locked.value) return <Login />;
  return (
    <>
      <Bar />
      <div class="columns">
        <Setup />
        <Middle />
        <aside class="side" data-empty={built.value.result === null} aria-label="Details" tabIndex={0}>
          <OriginPanel />
          <Diagnostics />
          <SkippedList />
        </aside>
      </div>
    </>
  );
}

function Bar() {
  return (
    <header class="bar">
      <h1>promptweave</h1>
      <span class="live" data-on={connected.value}>
        {connected.value ? "live" : "not live"}
      </span>
      <span class="grow" />
      <Copy label="Copy link" text={link} />
      <Switch
        label="Colour scheme"
        value={scheme.value}
        options={SCHEMES.map((one) => [one, one])}
        onValue={(one) => (scheme.value = one as Scheme)}
      />
    </header>
  );
}

/** The address with all that is needed to see the same: the context too, even where the machine filled it in. */
async function link(): Promise<string> {
  return `${location.origin}${location.pathname}#${await encode({ ...shared.peek(), context: contextText.peek() })}`;
}

function Middle() {
  const view = shared.value.view;
  const View = DRAWN[view];
  return (
    <main class="middle" data-pending={built.value.pending || awaited.value > 0}>
      <Tabs view={view} />
      <Summary />
      <Refusal problem={built.value.problem} />
      <section class="view" role="tabpanel" id="view" aria-labelledby={`tab-${view}`} tabIndex={0}>
        <View />
      </section>
    </main>
  );
}

function Tabs({ view }: { view: View }) {
  const move = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const next = VIEWS[(VIEWS.indexOf(view) + step + VIEWS.length) % VIEWS.length];
    if (step === 0 || next === undefined) return;
    event.preventDefault();
    change({ view: next });
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="Views" onKeyDown={move}>
      {VIEWS.map((one) => (
        <button
          key={one}
          type="button"
          role="tab"
          id={`tab-${one}`}
          aria-selected={one === view}
          aria-controls="view"
          tabIndex={one === view ? 0 : -1}
          onClick={() => change({ view: one })}
        >
          {NAMES[one]}
        </button>
      ))}
    </div>
  );
}

function Summary() {
  const result = built.value.result;
  if (result === null) return <p class="summary">&nbsp;</p>;
  const included = result.sections.filter((section) => section.state === "included");
  return (
    <p class="summary">
      <strong>{result.variant.id}</strong>
      <span class="count" title={result.variant.why}>
        version {result.variant.version}
      </span>
      <Count of={included.length} unit="sections" />
      <Count of={included.length === 0 ? 0 : (result.spans.at(-1)?.end ?? 0)} unit="bytes" />
      <span title={result.token_method}>
        <Count of={result.tokens} unit="tokens" />
      </span>
      <span class="count">static head {result.static_head_bytes.toLocaleString("en-US")}</span>
    </p>
  );
}
