// The sections that are not in the prompt, and why.
import { built } from "../live";
import { written } from "../text/place";
import type { Skipped } from "../types";
import { Empty } from "./parts";

export function SkippedList() {
  const list = (built.value.result?.sections ?? []).filter(
    (section): section is Skipped => section.state !== "included",
  );
  return (
    <section class="panel" aria-labelledby="skipped-heading">
      <h2 id="skipped-heading">
        Skipped <span class="count">{list.length}</span>
      </h2>
      {list.length === 0 && <Empty>Nothing was left out.</Empty>}
      <ul class="skipped">
        {list.map((one) => (
          <li key={one.id}>
            <strong>{one.id}</strong> <span class="count">{one.reason_code}</span>
            {one.reason !== null && one.reason !== undefined && one.reason !== "" && (
              <div class="why">{one.reason}</div>
            )}
            <div class="path">{written(one.origin)}</div>
          </li>
        ))}
      </ul>
    </section>
  );
}
