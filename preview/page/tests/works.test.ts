// What people do on the page, in a real browser, against the real server.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { close, CONTEXT, idle, opened, prompt, serve, type Opened } from "./browser.js";
import type { Server } from "./server.js";

let server: Server;
before(async () => void (server = await serve()));
after(async () => {
  await close();
  server.stop();
});

/** Opens a view, does something, and holds the page to its promise: no complaint, no request to elsewhere. */
function check(name: string, words: { [key: string]: string }, act: (page: Page) => Promise<void>): void {
  test(name, async () => {
    const made: Opened = await opened(server, words);
    await act(made.page);
    assert.deepEqual(made.faults, []);
    await made.page.context().close();
  });
}

const says = (page: Page, text: string): Promise<unknown> =>
  page.waitForFunction((wanted) => document.querySelector(".prompt")?.textContent?.includes(wanted), text);

/** Puts another text into the context's editor, as typing over all of it does. */
async function write(page: Page, text: string): Promise<void> {
  await page.locator(".setup .cm-content").click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
}

check("the prompt is shown, each span with its class", {}, async (page) => {
  assert.match(await prompt(page), /^You are the miller's agent\. .*\n\n## Rules\n/);
  const answer = await fetch(`${server.url}/v1/build`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ context: JSON.parse(CONTEXT), format: "text" }),
  });
  assert.equal(await prompt(page), await answer.text());
  assert.equal(await page.locator(".summary strong").textContent(), "careful");
  assert.ok((await page.locator(".prompt .span.volatile").count()) > 0);
  const colour = (): Promise<string> =>
    page
      .locator(".prompt .span")
      .first()
      .evaluate((one) => getComputedStyle(one).backgroundColor);
  const byClass = await colour();
  await page.getByRole("button", { name: "Origin", exact: true }).click();
  await idle(page);
  assert.notEqual(await colour(), byClass);
});

check("an edit of the context changes the prompt", {}, async (page) => {
  await write(page, '{"model": {"id": "gpt-5.1"}, "cwd": "/home/mill/élan \u{1F33E}"}');
  await says(page, "Folder: /home/mill/élan \u{1F33E}");
  assert.equal(await page.locator(".summary strong").textContent(), "terse");
  assert.match(await prompt(page), /Grind it\. Report\.[\s\S]*style – no flourishes\./);
});

check("a context that is no JSON keeps the last prompt and says where it is wrong", {}, async (page) => {
  await write(page, '{"cwd": "/tmp", ');
  await page.getByText("this is no JSON object").waitFor();
  await page.locator(".setup .cm-lintRange-error").waitFor();
  assert.match(await prompt(page), /Folder: \/home\/mill\/orders/);
});

check("a value of the wrong type is marked where it stands", {}, async (page) => {
  await write(page, '{"cwd": 5, "house": {"style": "loud"}, "mill": true}');
  await page.locator(".setup .cm-lintRange-error").waitFor();
  assert.equal(await page.locator(".setup .cm-lintRange-error").textContent(), "5");
  assert.equal(await page.locator(".setup .cm-lintRange-info").textContent(), '"mill"');
});

check("keys are completed from the schema, the pack's own among them", {}, async (page) => {
  await write(page, "{ ");
  for (const [typed, offered] of [
    ['"hou', '"house"'],
    ['"sty', '"style"'],
  ] as const) {
    await page.keyboard.type(typed);
    await page.locator(".setup .cm-tooltip-autocomplete").getByText(offered).waitFor();
    // The editor takes no key for a choice until the list has stood for a moment.
    await page.waitForTimeout(150);
    await page.keyboard.press("Enter");
  }
  assert.match((await page.locator(".setup .cm-content").textContent()) ?? "", /"house": \{"style": "plain"/);
});

check("hovering a span tells its origin, beside it and in the panel", {}, async (page) => {
  await page.locator(".prompt .span", { hasText: "Ask before you stop" }).hover();
  assert.match((await page.locator(".tip").textContent()) ?? "", /rules static.*careful\.toml:\d+/);
  assert.match((await page.getByTestId("origin").textContent()) ?? "", /careful\.toml:\d+/);
  await page.locator(".source [data-here='true']").waitFor();
  assert.match((await page.locator(".source [data-here='true']").textContent()) ?? "", /base|Ask before/);
});

check("a diagnostic jumps to its span, from any view", { view: "layers" }, async (page) => {
  await page.locator(".diagnostics button", { hasText: "placeholder-missing" }).first().click();
  await page.locator(".prompt .pointed").first().waitFor();
  assert.match((await page.locator(".prompt .pointed").first().textContent()) ?? "", /^Season: ?$/);
  assert.match((await page.getByTestId("origin").textContent()) ?? "", /note\.md:4/);
});

check("a variant can be chosen, and the walk to it is shown", {}, async (page) => {
  await page.locator(".walk summary").click();
  assert.match((await page.locator(".walk li").first().textContent()) ?? "", /careful matched/);
  await page.getByLabel("Variant", { exact: true }).selectOption("terse");
  await says(page, "Grind it. Report.");
  await page.locator("p.walk", { hasText: "it was asked for" }).waitFor();
  await page.getByLabel("Variant", { exact: true }).selectOption("");
  await page.getByLabel("Model", { exact: true }).fill("grindstone-7b");
  await page.locator(".walk summary", { hasText: "no other variant claimed the context" }).waitFor();
});

test("a tag and a label choose among variants", async () => {
  // That nothing is left to choose is a refusal, of which the browser complains.
  const { page } = await opened(server);
  await page.getByLabel("Model", { exact: true }).fill("gpt-5.1");
  await says(page, "Grind it. Report.");
  await page.locator(".more summary").click();
  await page.getByLabel("Tag", { exact: true }).selectOption("frontier");
  await page.locator(".middle > .refusal", { hasText: "no-variant" }).waitFor();
  await page.getByLabel("Tag", { exact: true }).selectOption("");
  await page.getByLabel("Model", { exact: true }).fill("");
  await page.getByLabel("Label", { exact: true }).selectOption("stable");
  await page.waitForFunction(() => location.hash.includes("label=stable"));
  await says(page, "Ask before you stop");
  assert.match((await page.locator(".more summary").textContent()) ?? "", /^More label$/);
});

check("tools and single values are put on the context", { view: "prompt" }, async (page) => {
  await page.locator(".more summary").focus();
  await page.keyboard.press("Enter");
  await page.getByLabel("Tools, with commas between").fill("read_order");
  await page.waitForFunction(() => !document.querySelector(".prompt")?.textContent?.includes("set_stones"));
  const set = page.getByLabel("Set, a path = value in each line");
  await set.fill('cwd = /home/mill/a=b\nhouse.style = "grim"\nnonsense\ncwd = /twice');
  await says(page, "Folder: /home/mill/a=b");
  await says(page, "a grim style");
  await page.getByText("names a path again: line 3, 4").waitFor();
  const link = page.url();
  const other = await page.context().newPage();
  await other.goto(link);
  await says(other, "a grim style");
  assert.equal(await other.locator(".more[open]").count(), 1, "what an address brings is shown");
});

check("a session says again what it said, until it is reset or ended", {}, async (page) => {
  await page.locator(".more summary").click();
  const first = page.waitForResponse((answer) => answer.request().postData()?.includes('"session":') === true);
  await page.getByRole("button", { name: "Begin a session" }).click();
  assert.equal((await first).status(), 200);
  await page.getByText("in a session", { exact: true }).waitFor();
  await write(page, '{"model": {"id": "claude-sonnet-4-5"}, "cwd": "/home/mill/archive"}');
  const told = page.locator(".diagnostics", { hasText: "session-recomputed" });
  await told.waitFor();
  assert.ok(!page.url().includes("session="), "its id is in no address");
  await page.getByRole("button", { name: "Reset session" }).click();
  await told.waitFor({ state: "detached" });
  await says(page, "Folder: /home/mill/archive");
  await page.getByRole("button", { name: "End session" }).click();
  await page.getByRole("button", { name: "Begin a session" }).waitFor();
});

test("a refusal is said, and the last prompt stays", async () => {
  const { page } = await opened(server);
  await page.evaluate(() => (location.hash = "#variant=nobody"));
  await page.locator(".middle > .refusal", { hasText: "nobody" }).waitFor();
  assert.match(await prompt(page), /^You are the miller's agent/);
});

check("layers are cards that open", { view: "layers" }, async (page) => {
  const card = page.locator(".card", { hasText: "surroundings" });
  assert.match((await card.textContent()) ?? "", /surroundings session.*bytes.*tokens.*ms.*surroundings\.md/);
  await card.locator("summary").click();
  await card.getByText("Folder: /home/mill/orders").waitFor();
});

check("skipped sections have their reason", {}, async (page) => {
  assert.match(
    (await page.locator(".skipped").textContent()) ?? "",
    /servers condition-false.*mcp\.servers\.size\(\) > 0/,
  );
});

check("the payload of each API has its marks", { view: "payload" }, async (page) => {
  await page.locator(".marks li").first().waitFor();
  assert.match((await page.locator(".marks").textContent()) ?? "", /system\[0\].*cache_control/);
  await page.getByLabel("Provider's API").selectOption("bedrock");
  await page.locator(".marks", { hasText: "cachePoint" }).waitFor();
  await page.getByLabel("Provider's API").selectOption("openai-responses");
  await page.locator(".marks", { hasText: "prompt_cache_key" }).waitFor();
});

check("two models stand side by side", { view: "diff" }, async (page) => {
  await page.getByText("the same, byte for byte").waitFor();
  await page.getByLabel("Other model").fill("gpt-5.1");
  const rules = page.locator(".compared", { hasText: "rules" });
  await rules.locator(".gone", { hasText: "Read an order twice" }).waitFor();
  await rules.locator(".new", { hasText: "Grind it. Report." }).waitFor();
});

check("a kept context is compared with an edited one", { view: "diff" }, async (page) => {
  await page.getByLabel("Keep it as").fill("before");
  await page.getByRole("button", { name: "Keep", exact: true }).click();
  await write(page, '{"model": {"id": "claude-sonnet-4-5"}, "cwd": "/home/mill/archive"}');
  await page.getByLabel("Other context").selectOption("before");
  await page.locator(".compared .gone mark", { hasText: "archive" }).waitFor();
  await page.locator(".compared .new mark", { hasText: "orders" }).waitFor();
});

check(
  "the matrix tells which variant matches, and leads to it",
  { view: "matrix", models: "gpt-5.1" },
  async (page) => {
    await page.locator("[data-matches='true']").nth(1).waitFor();
    assert.equal(await page.locator(".matrix tbody tr").count(), 3);
    await page.locator("tr", { hasText: "terse" }).locator("[data-matches='true']").click();
    await says(page, "Grind it. Report.");
  },
);

check("a reply streams through the parser, and can be wound back", { view: "reply" }, async (page) => {
  await page.getByLabel("Reply of a model").fill("Let me see.\n<read_order>\n<number>17</number>\n</read_order>\n");
  await page.getByLabel("Chunk, in bytes").fill("3");
  await page.getByRole("button", { name: "Stream it" }).click();
  const call = page.locator(".block-tool_use");
  await call.getByText("closed: text").waitFor();
  assert.match((await call.textContent()) ?? "", /read_order.*number.*17/s);
  const whole = Number(await page.getByRole("slider").getAttribute("max"));
  await page.getByLabel("Chunk, in bytes").fill("100");
  await page.getByRole("button", { name: "Stream it" }).click();
  await page.waitForFunction(
    (more) => Number(document.querySelector("input[type=range]")?.getAttribute("max")) < more,
    whole,
  );
  await page.getByRole("slider").fill("1");
  await page.locator(".blocks [data-open='true']").waitFor();
  assert.equal(await page.locator(".blocks > li").count(), 1);
});

check("an edit of a pack's file is shown at once", {}, async (page) => {
  const file = join(server.pack, "components/house.md");
  const old = readFileSync(file, "utf8");
  writeFileSync(file, old.replace("no flourishes", "short sentences"));
  await says(page, "style – short sentences.");
  writeFileSync(file, old);
  await says(page, "no flourishes");
});

check("the address alone shows the same to others", {}, async (page) => {
  await page.getByLabel("Variant", { exact: true }).selectOption("terse");
  await page.getByRole("tab", { name: "Layers" }).click();
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.locator(".copy[data-done='copied']").waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(new URL(link).search, "");
  const other = await page.context().newPage();
  await other.goto(link);
  await other.locator(".card", { hasText: "surroundings" }).waitFor();
  assert.equal(await other.locator(".summary strong").textContent(), "terse");
  assert.match((await other.locator(".setup .cm-content").textContent()) ?? "", /\/home\/mill\/orders/);
});

check("a prompt is text, whatever it says", {}, async (page) => {
  await write(page, JSON.stringify({ cwd: "<img src=x onerror=alert(1)><script>alert(2)</script>" }));
  await says(page, "<img src=x onerror=alert(1)>");
  assert.equal(await page.locator(".prompt img, .prompt script").count(), 0);
});

check("a copied selection has the prompt's own characters", {}, async (page) => {
  await page.locator(".prompt").focus();
  await page.evaluate(() => getSelection()?.selectAllChildren(document.querySelector(".prompt") as Element));
  await page.keyboard.press("Control+c");
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await prompt(page));
});
