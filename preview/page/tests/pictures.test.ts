// Each view as it should look, compared with the picture that the docs show.
// `UPDATE=1` takes what is seen as the new picture. What differs is left in `tests/seen/`.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import pixelmatch from "pixelmatch";
import { PNG } from "pngjs";
import { close, idle, opened, serve, type How } from "./browser.js";
import type { Server } from "./server.js";

const PICTURES = "../../docs/pictures";
const SEEN = "tests/seen";
/** How many of a picture's pixels may differ: fonts are hinted a little differently from machine to machine. */
const TOLERANCE = 0.003;

let server: Server;
before(async () => void (server = await serve()));
after(async () => {
  await close();
  server.stop();
});

/** Fonts that Debian brings along, and times that never change. */
async function pin(page: Page): Promise<void> {
  await page.evaluate(async () => {
    document.documentElement.style.setProperty("--sans", '"DejaVu Sans"');
    document.documentElement.style.setProperty("--mono", '"DejaVu Sans Mono"');
    document.querySelectorAll("[data-time]").forEach((one) => (one.textContent = "0.04 ms"));
    (document.activeElement as HTMLElement | null)?.blur();
    await document.fonts.ready;
  });
  await page.locator(".live[data-on='true']").waitFor();
  await idle(page);
}

function compare(name: string, seen: Buffer): void {
  const file = join(PICTURES, `${name}.png`);
  if (process.env["UPDATE"] !== undefined) {
    mkdirSync(PICTURES, { recursive: true });
    return writeFileSync(
      file,
      PNG.sync.write(PNG.sync.read(seen), { deflateLevel: 9, deflateStrategy: 0, filterType: 0, colorType: 2 }),
    );
  }
  assert.ok(existsSync(file), `there is no \`${file}\`: run with UPDATE=1 and look at it`);
  const [now, then] = [PNG.sync.read(seen), PNG.sync.read(readFileSync(file))];
  const same = now.width === then.width && now.height === then.height;
  const apart = new PNG({ width: now.width, height: now.height });
  const share = same
    ? pixelmatch(now.data, then.data, apart.data, now.width, now.height, { threshold: 0.2 }) / (now.width * now.height)
    : 1;
  if (share <= TOLERANCE) return;
  mkdirSync(SEEN, { recursive: true });
  writeFileSync(join(SEEN, `${name}.png`), seen);
  if (same) writeFileSync(join(SEEN, `${name}.apart.png`), PNG.sync.write(apart));
  assert.fail(
    `${name} differs in ${(share * 100).toFixed(2)} % of its pixels: see \`${SEEN}/\`; UPDATE=1 takes it as the new picture`,
  );
}

function picture(
  name: string,
  words: { [key: string]: string },
  how: How,
  act: (page: Page) => Promise<void> = async () => undefined,
): void {
  test(name, async () => {
    const { page, faults } = await opened(server, words, how);
    await act(page);
    await pin(page);
    compare(name, await page.screenshot({ animations: "disabled", caret: "hide", fullPage: how.width === 390 }));
    assert.deepEqual(faults, []);
    await page.context().close();
  });
}

const REPLY = "Let me look at the order.\n<read_order>\n<number>17</number>\n</read_order>\n";

const stream = async (page: Page): Promise<void> => {
  await page.getByLabel("Reply of a model").fill(REPLY);
  await page.getByRole("button", { name: "Stream it" }).click();
  await page.locator(".block-tool_use").getByText("closed: text").waitFor();
};
const jump = async (page: Page): Promise<void> => {
  await page.locator(".diagnostics button").first().click();
  await page.locator(".source").waitFor();
};
const openCards = async (page: Page): Promise<void> => page.getByRole("button", { name: "Open all" }).click();
const more = async (page: Page): Promise<void> => {
  await page.getByRole("button", { name: "Begin a session" }).click();
  await page.getByText("in a session", { exact: true }).waitFor();
};
const unfolded = async (page: Page): Promise<void> => {
  await page.getByRole("button", { name: "Variant and context" }).click();
  await page.locator(".more summary").click();
};
const marks = async (page: Page): Promise<void> => page.locator(".marks li").first().waitFor();
const compared = async (page: Page): Promise<void> => page.locator(".compared").first().waitFor();
const cells = async (page: Page): Promise<void> => page.locator("[data-matches='true']").first().waitFor();

const LIGHT: How = { scheme: "light" };
const DARK: How = { scheme: "dark" };
const NARROW: How = { width: 390, scheme: "light" };

picture("prompt", {}, LIGHT, jump);
picture("prompt-origin-dark", { colour: "origin" }, DARK, jump);
picture("prompt-narrow", {}, NARROW);
picture("more-dark", { tag: "frontier", tools: "read_order", set: "user.language = German" }, DARK, more);
picture("more-narrow", {}, NARROW, unfolded);
picture("layers", { view: "layers" }, LIGHT, openCards);
picture("payload", { view: "payload" }, LIGHT, marks);
picture("diff", { view: "diff", "vs-model": "gpt-5.1" }, LIGHT, compared);
picture("diff-narrow-dark", { view: "diff", "vs-model": "gpt-5.1" }, { width: 390, scheme: "dark" }, compared);
picture("matrix", { view: "matrix", models: "gpt-5.1, qwen3-coder" }, LIGHT, cells);
picture("reply-dark", { view: "reply" }, DARK, stream);
