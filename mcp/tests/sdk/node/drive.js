// Asks a server by the official client, and prints what came of each question.
//
// In: how to reach the server, the folder of its pack, as arguments. Out: a line for each question, the same over each transport.

import { appendFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";

const [pack, kind, ...how] = process.argv.slice(2);

function transport() {
  if (kind === "stdio") {
    const [command, ...args] = how;
    return new StdioClientTransport({ command, args, stderr: "pipe", env: process.env });
  }
  const [url, token] = how;
  const headers = { Authorization: `Bearer ${token}` };
  return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
}

const say = (name, value) => console.log(`${name}: ${JSON.stringify(value)}`);

async function refused(name, question) {
  try {
    say(name, { wrong: await question });
  } catch (error) {
    say(name, { code: error.code, data: error.data?.code });
  }
}

const client = new Client({ name: "drive", version: "1.0.0" });
const errors = [];
client.onerror = (error) => errors.push(String(error));

const heard = new Set();
let listening = () => {};
const hear = (what) => {
  heard.add(what);
  listening();
};
const told = (count) =>
  new Promise((resolve) => {
    listening = () => heard.size >= count && resolve();
    listening();
  });
client.setNotificationHandler(PromptListChangedNotificationSchema, () => hear("prompts"));
client.setNotificationHandler(ToolListChangedNotificationSchema, () => hear("tools"));
client.setNotificationHandler(ResourceListChangedNotificationSchema, () => hear("resources"));
client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => hear(params.uri));

await client.connect(transport());
say("server", client.getServerVersion().name);
say("capabilities", client.getServerCapabilities());

// Prompts.
const { prompts } = await client.listPrompts();
for (const prompt of prompts) say("prompt", prompt);
const style = { "house.style": "plain" };
const prompt = (name, given) => client.getPrompt({ name, arguments: given });
say("get", await prompt("claude", { ...style, mode: "plan", "house.short": "true" }));
say("get by number", await prompt("claude", { ...style, version: "1", cwd: "/p" }));
await refused("no prompt", prompt("gone", {}));
await refused("no argument", prompt("claude", { ...style, gone: "x" }));
await refused("another type", prompt("claude", { ...style, "house.short": "maybe" }));
await refused("required", prompt("claude", {}));

// Completion.
const complete = async (ref, name, value, context) =>
  (await client.complete({ ref, argument: { name, value }, context })).completion.values;
const claude = { type: "ref/prompt", name: "claude" };
for (const [name, value] of [["mode", "p"], ["house.short", ""], ["version", ""], ["tools", "r"], ["provider", "anth"]]) {
  say(`complete ${name}`, await complete(claude, name, value));
}
say("complete model", (await complete(claude, "model", "claude-")).length > 0);
const source = { type: "ref/resource", uri: "source://{kind}/{id}" };
say("complete variant", await complete(source, "id", "", { arguments: { kind: "variant" } }));
await refused("complete nothing", complete(claude, "gone", ""));

// Tools. The client checks each result by the tool's schema.
const { tools } = await client.listTools();
for (const tool of tools) {
  say("tool", [tool.name, tool.annotations, Object.keys(tool.inputSchema.properties), tool.outputSchema.required]);
}
const call = (name, given) => client.callTool({ name, arguments: given });
const context = { house: { style: "formal" } };
const built = await call("build_prompt", { context, model: "claude-x", mode: "plan" });
say("build", built.structuredContent.text);
say("build twice told", JSON.stringify(built.structuredContent) === built.content[0].text);
const explained = await call("explain_prompt", { context, variant: "generic" });
say("explain", explained.structuredContent.sections.map(({ id, state }) => [id, state]));
say("check", (await call("check_pack", { pack: "acme" })).structuredContent);
const reply = "Let me look.\n<read_file><path>a.txt</path></read_file>";
say("parse", (await call("parse_reply", { reply })).structuredContent);
say("failed", await call("build_prompt", { variant: "gone" }));
await refused("no tool", call("gone", {}));
await refused("unknown key", call("build_prompt", { pack: "/etc" }));
await refused("a plugin", call("build_prompt", { plugin: "x.so" }));
await refused("wrong type", call("build_prompt", { context: [] }));
await refused("wrong shape", client.request({ method: "tools/call", params: { name: 7 } }, { parse: (it) => it, safeParse: (data) => ({ success: true, data }) }));

// Resources.
const { resources } = await client.listResources();
for (const resource of resources) {
  const { contents } = await client.readResource({ uri: resource.uri });
  say("resource", [resource.uri, resource.mimeType, contents.length, contents[0].text.length === resource.size]);
}
say("templates", (await client.listResourceTemplates()).resourceTemplates.map((one) => one.uriTemplate));
say("source", (await client.readResource({ uri: "source://component/role" })).contents);
const role = "pack://acme/components/role.md";
for (const uri of ["pack://acme/../../etc/passwd", "file:///etc/passwd", "pack://gone/pack.toml"]) {
  await refused("no resource", client.readResource({ uri }));
}

// A file changes.
await client.subscribeResource({ uri: role });
appendFileSync(`${pack}/components/role.md`, "You like tests.\n");
await told(4);
say("heard", [...heard].sort());
say("get anew", (await prompt("generic", style)).messages[0].content.text);

await client.close();
say("errors", errors);
