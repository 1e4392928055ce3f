// All variants in several contexts: which one matches, how long, what is missing.
// In: the current context, kept ones, models to try. Out: a table. Never: more than one row of a variant.

import { ask } from "../api";
import { useAnswer } from "../answer";
import { change, context, contextNamed, contextText, generation, shared } from "../state";
import { counted, thousands } from "../text/place";
import type { Cell, JsonObject } from "../types";
import { Empty, Field, Refusal } from "./parts";

interface Named {
  name: string;
  context: JsonObject;
  /** What choosing one of its cells does to the page. */
  choose: () => void;
}

const HERE = "this context";

function columns(): Named[] {
  const { kept, models } = shared.value;
  const here = given();
  const ids = [
    ...new Set(
      models
        .split(",")
        .map((one) => one.trim())
        .filter((one) => one !== ""),
    ),
  ];
  return [
    { name: HERE, context: here, choose: () => undefined },
    ...kept.map((one) => ({
      name: one.name,
      context: contextNamed(one.name),
      choose: () => change({ context: one.text }),
    })),
    ...ids.map((id) => ({
      name: `model ${id}`,
      context: { ...here, model: { ...(here["model"] as JsonObject | undefined), id } },
      choose: () => change({ ask: { ...shared.peek().ask, model: id } }),
    })),
  ];
}

/** The current context with what the shorthands on the left put into it. */
function given(): JsonObject {
  const { model, provider, mode } = shared.value.ask;
  const here = { ...context.value };
  if (model.trim() !== "") here["model"] = { ...(here["model"] as JsonObject | undefined), id: model.trim() };
  if (provider.trim() !== "")
    here["provider"] = { ...(here["provider"] as JsonObject | undefined), id: provider.trim() };
  if (mode !== "") here["mode"] = mode;
  return here;
}

export function Matrix() {
  const contexts = columns();
  const asked = contexts.map(({ name, context }) => ({ name, context }));
  const answer = useAnswer(`${generation.value} ${JSON.stringify(asked)}`, (stop) =>
    ask<Cell[]>("/v1/matrix", { contexts: asked }, stop),
  );
  return (
    <>
      <div class="tools matrix-tools">
        <Field
          label="Models to try"
          value={shared.value.models}
          hint="ids, with commas between"
          onValue={(models) => change({ models })}
        />
      </div>
      <Refusal problem={answer.problem} />
      {answer.value === null ? (
        <Empty>
          {answer.pending || contextText.value === null ? "Building all of them…" : "There is nothing to show."}
        </Empty>
      ) : (
        <Table cells={answer.value} contexts={contexts} />
      )}
    </>
  );
}

function Table({ cells, contexts }: { cells: Cell[]; contexts: Named[] }) {
  const variants = [...new Map(cells.map((cell) => [`${cell.variant}@${cell.version}`, cell])).entries()];
  return (
    <div class="wide" tabIndex={0} role="region" aria-label="Matrix">
      <table class="matrix">
        <thead>
          <tr>
            <th scope="col">Variant</th>
            {contexts.map((one) => (
              <th key={one.name} scope="col">
                {one.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {variants.map(([key, { variant, version }]) => (
            <tr key={key}>
              <th scope="row">
                {variant}
                {version === 1 ? "" : `@${version}`}
              </th>
              {contexts.map((one) => (
                <td key={one.name}>
                  <One
                    cell={cells.find(
                      (cell) => cell.context === one.name && cell.variant === variant && cell.version === version,
                    )}
                    column={one}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function One({ cell, column }: { cell: Cell | undefined; column: Named }) {
  if (cell === undefined) return <span class="count">–</span>;
  const go = (): void => {
    column.choose();
    change({ view: "prompt", ask: { ...shared.peek().ask, variant: cell.matches ? "" : cell.variant } });
  };
  const missing = cell.missing.map((one) => `${one.id} (${one.reason_code})`).join(", ");
  return (
    <>
      <button type="button" class="cell" data-matches={cell.matches} onClick={go}>
        {cell.matches && <span class="matches">matches</span>}
        <span>{thousands(cell.bytes)} bytes</span>
        <span class="count">
          {counted(cell.sections, "section")}, head {thousands(cell.static_head_bytes)}
        </span>
        {cell.warnings > 0 && <span class="warned">{counted(cell.warnings, "warning")}</span>}
      </button>
      {missing !== "" && (
        <details class="missing">
          <summary>{cell.missing.length} missing</summary>
          {missing}
        </details>
      )}
    </>
  );
}
