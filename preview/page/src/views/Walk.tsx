// Who was asked whether it claims this context, in order, and what it said.
import type { Result } from "../types";

export function Walk({ result }: { result: Result | null }) {
  if (result === null) return <p class="walk">&nbsp;</p>;
  const { variant, walk } = result;
  const chosen = (
    <>
      <strong>{variant.id}</strong>: {variant.why}
    </>
  );
  if (walk.length === 0) return <p class="walk">{chosen}</p>;
  return (
    <details class="walk">
      <summary>
        {walk.length} asked, {chosen}
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
