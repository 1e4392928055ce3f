// Who was asked whether it claims this context, in order, and what it said.
import type { Asked } from "../types";

export function Walk({ walk }: { walk: Asked[] }) {
  const chosen = walk.find((one) => one.matched);
  return (
    <details class="walk">
      <summary>
        {chosen === undefined ? (
          "Not matched: asked for by name"
        ) : (
          <>
            Asked {walk.length}, matched <strong>{chosen.id}</strong>
          </>
        )}
      </summary>
      <ol>
        {walk.map((one, index) => (
          <li key={index} data-matched={one.matched}>
            <strong>{one.id}</strong> {one.matched ? "matched" : "said no"}: {one.reason}
            {one.detail !== null && one.detail !== undefined && one.detail !== "" && (
              <div class="why">{one.detail}</div>
            )}
          </li>
        ))}
      </ol>
    </details>
  );
}
