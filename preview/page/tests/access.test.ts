// The page for those who use a keyboard, a screen reader, a small screen, a dark room.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { barriers, close, idle, opened, prompt, serve } from "./browser.js";
import type { Server } from "./server.js";

const VIEWS = ["prompt", "layers", "payload", "diff", "matrix", "reply"];

let server: Server;
before(async () => void (server = await serve()));
after(async () => {
  await close();
  server.stop();
});

for (const width of [1280, 390]) {
  for (const scheme of ["light", "dark"] as const) {
    test(`axe finds nothing serious at ${width}, ${scheme}`, async () => {
      for (const view of VIEWS) {
        const { page, faults } = await opened(server, { view, "vs-model": "gpt-5.1" }, { width, scheme });
        if (width < 500) await page.getByRole("button", { name: "Variant and context" }).click();
        await page.locator(".walk summary").click();
        await page.locator(".more summary").click();
        if (view === "prompt") await page.locator(".prompt .span").first().click();
        await idle(page);
        assert.deepEqual(await barriers(page), [], view);
        assert.deepEqual(faults, []);
        await page.context().close();
      }
    });
  }
}

test("nothing is wider than a narrow screen", async () => {
  for (const view of VIEWS) {
    const { page } = await opened(server, { view, "vs-model": "gpt-5.1", models: "gpt-5.1,qwen3" }, { width: 390 });
    await page.getByRole("button", { name: "Variant and context" }).click();
    await page.locator(".more summary").click();
    await idle(page);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, view);
    await page.context().close();
  }
});

test("a tap tells the origin on a narrow screen", async () => {
  const { page, faults } = await opened(server, {}, { width: 390, touch: true });
  await page.locator(".prompt .span", { hasText: "Read an order twice" }).tap();
  assert.match((await page.locator(".tip").textContent()) ?? "", /rules\.md/);
  assert.deepEqual(faults, []);
});

test("the keyboard reaches everything", async () => {
  const { page, faults } = await opened(server);
  const focused = (): Promise<string> =>
    page.evaluate(() => {
      const deep = document.activeElement?.shadowRoot?.activeElement ?? document.activeElement;
      const label = deep instanceof HTMLButtonElement ? deep.textContent : null;
      const named = (deep as HTMLInputElement | null)?.labels?.[0]?.textContent;
      return deep?.getAttribute("aria-label") ?? named ?? (deep?.id || label) ?? "";
    });
  const until = async (wanted: RegExp): Promise<void> => {
    for (let presses = 0; presses < 60; presses += 1) {
      if (wanted.test(await focused())) return;
      await page.keyboard.press("Tab");
    }
    assert.fail(`no Tab led to ${wanted}`);
  };
  await until(/^Token budget$/);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  for (const label of ["Tag", "Label", "Tools, with commas between", "Set, a path = value in each line"]) {
    await until(new RegExp(`^${label}$`));
  }
  await until(/^Begin a session$/);
  await until(/^Context, as JSON$/);
  await page.keyboard.press("Control+End");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("End");
  await page.keyboard.type(', "house": {"style": "brisk');
  await page.waitForFunction(() => document.querySelector(".prompt")?.textContent?.includes("a brisk style"));
  await page.keyboard.press("Escape");
  await until(/^tab-prompt$/);
  await page.keyboard.press("ArrowRight");
  await page.locator(".card").first().waitFor();
  assert.equal(await focused(), "tab-layers");
  await page.keyboard.press("ArrowLeft");
  await until(/^Prompt;/);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.match((await page.getByTestId("origin").textContent()) ?? "", /generic\.toml|role\.md/);
  await page.keyboard.press("Escape");
  await until(/^Details$/);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.locator(".prompt .pointed").first().waitFor();
  assert.match(await prompt(page), /a brisk style/);
  assert.deepEqual(faults, []);
});

test("the scheme follows the system, and a choice stays", async () => {
  const { page } = await opened(server, {}, { scheme: "dark" });
  const ground = (): Promise<string> => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const dark = await ground();
  await page.getByRole("button", { name: "light" }).click();
  assert.notEqual(await ground(), dark);
  const light = await ground();
  await page.reload();
  await page.locator(".bar").waitFor();
  assert.equal(await ground(), light);
});
