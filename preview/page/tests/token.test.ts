// A server with a token: asked for in a form, kept in a cookie that no script reads.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { barriers, close, open, serve } from "./browser.js";
import type { Server } from "./server.js";

const TOKEN = "a-mill-stream-that-nobody-guesses-0123456789";

let server: Server;
let folder: string;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "token-"));
  writeFileSync(join(folder, "token"), TOKEN, { mode: 0o600 });
  server = await serve(["--token-file", join(folder, "token")]);
});
after(async () => {
  await close();
  server.stop();
  rmSync(folder, { recursive: true });
});

test("the token opens the page, a wrong one does not", async () => {
  const { page } = await open(server.url);
  await page.getByLabel("Token").waitFor();
  assert.deepEqual(await barriers(page), []);
  await page.getByLabel("Token").fill("nonsense");
  await page.getByRole("button", { name: "Enter" }).click();
  await page.getByText("this is not the token").waitFor();
  await page.getByLabel("Token").fill(TOKEN);
  await page.getByRole("button", { name: "Enter" }).click();
  await page.locator(".summary strong").waitFor();
  const cookies = await page.context().cookies();
  assert.deepEqual(
    cookies.map((one) => [one.httpOnly, one.sameSite]),
    [[true, "Strict"]],
  );
  assert.equal(await page.evaluate(() => document.cookie), "");
  assert.ok(!page.url().includes(TOKEN));
  await page.reload();
  await page.locator(".summary strong").waitFor();
});
