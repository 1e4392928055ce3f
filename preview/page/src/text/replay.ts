// Puts the events of a reply together again, as far as one wants to see.
// In: events in order. Out: blocks. Never: differs from the parser: a block that closed is the parser's own.

import type { JsonObject, ReplyBlock, ReplyEvent } from "../types";

export interface Seen {
  block: ReplyBlock;
  open: boolean;
}

export function blocks(events: ReplyEvent[]): Seen[] {
  const seen: Seen[] = [];
  for (const event of events) apply(seen, event);
  return seen.filter((one) => one !== undefined);
}

function apply(seen: Seen[], event: ReplyEvent): void {
  const at = event.index;
  if (at === undefined) return;
  if (event.event === "opened") {
    const block: ReplyBlock = { type: event.kind ?? "text" };
    if (event.id !== undefined) block.id = event.id;
    if (event.name !== undefined) block.name = event.name;
    seen[at] = { block: block.type === "tool_use" ? { ...block, params: {} } : { ...block, content: "" }, open: true };
    return;
  }
  const here = seen[at];
  if (here === undefined) return;
  const params = here.block.params ?? {};
  switch (event.event) {
    case "delta":
      here.block.content = (here.block.content ?? "") + (event.text ?? "");
      break;
    case "param_opened":
      here.block.params = put(params, event.name, "");
      break;
    case "param_delta":
      here.block.params = put(params, event.name, String(params[event.name ?? ""] ?? "") + (event.text ?? ""));
      break;
    case "param_closed":
      here.block.params = put(params, event.name, event.value ?? "");
      break;
    case "repaired":
      here.block.params = event.params ?? params;
      here.block.repaired = event.why ?? true;
      break;
    case "closed":
      seen[at] = { block: event.block ?? here.block, open: false };
      break;
    default:
      break;
  }
}

const put = (params: JsonObject, name: string | undefined, value: JsonObject[string]): JsonObject =>
  name === undefined ? params : { ...params, [name]: value };
