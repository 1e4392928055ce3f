// A reply, cut while it streams.

import { Parser } from "promptweave";

const parser = new Parser({ specs: { tools: { read_file: { params: { path: "scalar" } } } } });

async function* reply() {
  yield* ["I look at the", " file.\n<read_f", "ile>\n<path>src/ma", "in.rs</path>\n</read_file>"];
}

for await (const event of parser.read(reply(), { reason: "end_turn" })) {
  if (event.event === "delta") process.stdout.write(event.text);
  if (event.event === "closed" && event.block.type === "tool_use" && event.end === "text") {
    console.log(`\n${event.block.name}(${JSON.stringify(event.block.params)})`);
  }
}
