// What is sent along with the prompt and is no part of its text.
import type { Result } from "../types";

export function Beside({ result }: { result: Result }) {
  const parts = [
    ["Attribution", "the request's first block", result.attribution],
    ["Prefix", "the block before the prompt", result.prefix],
    ["User context", "the first user message", result.user_context],
  ] as const;
  const given = parts.filter(([, , text]) => text !== null && text !== undefined && text !== "");
  if (given.length === 0) return null;
  return (
    <div class="beside">
      {given.map(([name, what, text]) => (
        <details key={name} class="card">
          <summary>
            <strong>{name}</strong> <span class="count">{what}</span>
          </summary>
          <pre class="content">{text}</pre>
        </details>
      ))}
    </div>
  );
}
