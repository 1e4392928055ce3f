// What is wrong, of this build and of the packs; each goes to the text that it is about.
// In: diagnostics. Out: a list. Never: the same one twice.

import { built, loading, probed } from "../live";
import { jumpTo, reachable } from "../point";
import { written } from "../text/place";
import type { Diagnostic } from "../types";
import { Empty } from "./parts";

const same = (one: Diagnostic): string => `${one.code} ${one.message} ${written(one.origin)}`;

export function Diagnostics() {
  const all = [...(built.value.result?.diagnostics ?? []), ...loading.value, ...probed.value];
  const list = all.filter((one, at) => all.findIndex((other) => same(other) === same(one)) === at);
  return (
    <section class="panel" aria-labelledby="diagnostics-heading">
      <h2 id="diagnostics-heading">
        Diagnostics <span class="count">{list.length}</span>
      </h2>
      {list.length === 0 && <Empty>None.</Empty>}
      <ul class="diagnostics">
        {list.map((one) => (
          <li key={same(one)} class={one.severity}>
            {reachable(one.origin) ? (
              <button type="button" onClick={() => jumpTo(one.origin)}>
                <What of={one} />
              </button>
            ) : (
              <div class="still">
                <What of={one} />
              </div>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function What({ of }: { of: Diagnostic }) {
  return (
    <>
      <span class="severity">{of.severity}</span> <code>{of.code}</code>
      <span class="message">{of.message}</span>
      {of.origin !== null && of.origin !== undefined && <span class="path">{written(of.origin)}</span>}
      {of.help !== null && of.help !== undefined && of.help !== "" && <span class="help">{of.help}</span>}
    </>
  );
}
