// Two builds side by side: what is chosen on the left of the page, and another model, variant or context.
// In: the other side. Out: sections with their lines. Never: a difference that the server did not tell.

import { ask } from "../api";
import { useAnswer } from "../answer";
import { change, contextNamed, current, currentKey, generation, request, shared, type Other } from "../state";
import { rows, type Row, type Side } from "../text/hunks";
import { thousands } from "../text/place";
import type { Difference, DiffSection, DiffSide } from "../types";
import { Choice, Count, Delta, Empty, Field, Refusal } from "./parts";
import { choices } from "./Setup";

const put = (part: Partial<Other>): void => change({ other: { ...shared.peek().other, ...part } });

export function Diff() {
  const { other, kept } = shared.value;
  const b = JSON.stringify(second());
  const answer = useAnswer(`${generation.value} ${currentKey.value} ${b}`, (stop) =>
    ask<Difference>("/v1/diff", { a: current.peek(), b: second() }, stop),
  );
  const [, ...exact] = choices();
  return (
    <>
      <div class="tools versus" role="group" aria-label="Compared with">
        <Choice
          label="Other variant"
          value={other.variant}
          options={[["", "as here"], ...exact]}
          onValue={(variant) => put({ variant })}
        />
        <Field label="Other model" value={other.model} hint="as here" onValue={(model) => put({ model })} />
        <Choice
          label="Other context"
          value={other.context}
          options={[["", "as here"], ...kept.map((one) => [one.name, one.name] as const)]}
          onValue={(context) => put({ context })}
        />
      </div>
      <Refusal problem={answer.problem} />
      {answer.value === null ? (
        <Empty>{answer.pending ? "Comparing…" : "There is nothing to compare."}</Empty>
      ) : (
        <Both difference={answer.value} />
      )}
    </>
  );
}

function second() {
  const { ask, other } = shared.value;
  return request(
    { ...ask, variant: other.variant || ask.variant, model: other.model || ask.model },
    contextNamed(other.context),
  );
}

function Both({ difference }: { difference: Difference }) {
  if (difference.same)
    return (
      <Empty>
        Both are the same, byte for byte. Choose another variant, model or context above; a context that is kept on the
        left can be chosen here.
      </Empty>
    );
  const changed = difference.sections.filter((one) => one.change !== "same");
  const same = difference.sections.filter((one) => one.change === "same");
  return (
    <>
      <div class="sides">
        <Total side={difference.before} name="Here" />
        <Total side={difference.after} name="Other" />
      </div>
      <Cache difference={difference} />
      {changed.map((section) => (
        <Section key={section.name} section={section} />
      ))}
      {same.length > 0 && <p class="empty">The same on both sides: {same.map((one) => one.name).join(", ")}.</p>}
    </>
  );
}

const Total = ({ side, name }: { side: DiffSide; name: string }) => (
  <p class="total">
    <span class="count">{name}</span> <strong>{side.variant.id}</strong> <Count of={side.bytes} unit="bytes" />{" "}
    <Count of={side.tokens} unit="tokens" /> <span class="count">static head {thousands(side.static_head_bytes)}</span>
  </p>
);

function Cache({ difference }: { difference: Difference }) {
  const { common, billed_again: again, ends, apart, tools } = difference.cache;
  const changes = [
    ...(tools?.added ?? []).map((tool) => `+${tool}`),
    ...(tools?.removed ?? []).map((tool) => `−${tool}`),
  ];
  return (
    <p class="effect">
      {apart !== null
        ? `In a cache: ${apart.message}. `
        : `In a cache: the first ${thousands(common.bytes)} bytes are shared, ${thousands(again.tokens)} tokens are billed again. `}
      {ends !== null &&
        `They part at line ${ends.line}, column ${ends.column}${ends.hinge === null ? "" : ` by \`${ends.hinge.cause}\``}. `}
      {changes.length > 0 && `Tools: ${changes.join(", ")}.`}
    </p>
  );
}

function Section({ section }: { section: DiffSection }) {
  return (
    <details class="card compared" open>
      <summary>
        <strong>{section.name}</strong> <span class={`change ${section.change}`}>{section.change}</span>
        <Delta of={section.bytes_delta} unit="bytes" /> <Delta of={section.tokens_delta} unit="tokens" />
      </summary>
      {section.diff !== null && section.diff !== undefined && (
        <div class="rows" role="table" aria-label={`Lines of ${section.name}`}>
          {rows(section.diff).map((row, at) => (
            <Line key={at} row={row} />
          ))}
        </div>
      )}
    </details>
  );
}

const Line = ({ row }: { row: Row }) => (
  <div class="row" role="row" data-same={row.same}>
    <Half side={row.left} look={row.same ? "" : "gone"} />
    <Half side={row.right} look={row.same ? "" : "new"} />
  </div>
);

function Half({ side, look }: { side: Side | null; look: string }) {
  if (side === null) return <div class="half none" role="cell" />;
  const [from, to] = side.apart ?? [0, 0];
  return (
    <div class={`half ${look}`} role="cell">
      <span class="number" aria-hidden="true">
        {side.number}
      </span>
      <span class="line">
        {side.apart === null ? (
          side.text
        ) : (
          <>
            {side.text.slice(0, from)}
            <mark>{side.text.slice(from, to)}</mark>
            {side.text.slice(to)}
          </>
        )}
      </span>
    </div>
  );
}
