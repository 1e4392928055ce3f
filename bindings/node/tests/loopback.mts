// A provider on loopback that answers what each library wants to hear.
//
// In: requests. Out: answers, and the bodies that came. Never: reaches a network.

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Asked {
  path: string;
  body: any;
}

/** Starts it; `close` ends it. */
export async function provider(): Promise<{ url: string; asked: Asked[]; close(): void }> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString());
    const path = request.url ?? "";
    asked.push({ path, body });
    answer(path, body, response);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, asked, close };
}

function answer(path: string, body: any, response: ServerResponse): void {
  if (body.stream === true) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of streamed()) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
    return;
  }
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(whole(path)));
}

const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-4-5",
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
};

function whole(path: string): object {
  if (path.endsWith("/messages")) {
    return { ...message, stop_reason: "end_turn", content: [{ type: "text", text: "a message" }] };
  }
  if (path.endsWith("/responses")) {
    const content = [{ type: "output_text", text: "a response", annotations: [] }];
    const output = [{ id: "m", type: "message", role: "assistant", status: "completed", content }];
    return { id: "r", object: "response", status: "completed", model: "gpt-5", output };
  }
  const said = { role: "assistant", content: "a completion" };
  const choices = [{ index: 0, finish_reason: "stop", message: said }];
  return { id: "c", object: "chat.completion", model: "gpt-5", choices };
}

function streamed(): ({ type: string } & Record<string, unknown>)[] {
  const pieces = ["I look.\n<read_f", "ile>\n<path>README", ".md</path>\n</read_file>"];
  const deltas = pieces.map((text) => ({
    type: "content_block_delta",
    index: 0,
    delta: { type: "text_delta", text },
  }));
  return [
    { type: "message_start", message: { ...message, stop_reason: null, content: [] } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ...deltas,
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 1 } },
    { type: "message_stop" },
  ];
}
