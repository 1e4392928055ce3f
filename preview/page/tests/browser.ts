// Opens the page in Debian's chromium and watches what it does.
// In: an address, a width, a scheme. Out: a page, and what must never have happened. Never: a request beyond the server.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";
import { chromium, type Browser, type Page } from "playwright-core";
import { serve, type Server } from "./server.js";

const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** One look whatever the machine: no hinting, no sub-pixels, one colour space, one device pixel. */
const FLAGS = [
  "--no-sandbox",
  "--font-render-hinting=none",
  "--disable-lcd-text",
  "--force-color-profile=srgb",
  "--force-device-scale-factor=1",
];

export const CONTEXT = readFileSync("tests/context.json", "utf8");

export interface Opened {
  page: Page;
  /** Complaints of the console, of the policy, and requests to elsewhere. */
  faults: string[];
}

export interface How {
  width?: number;
  scheme?: "light" | "dark";
  touch?: boolean;
}

let browser: Browser | undefined;

async function launched(): Promise<Browser> {
  assert.ok(
    existsSync(CHROMIUM),
    `\`${CHROMIUM}\` is missing: \`apt-get install chromium\`, or name another by CHROMIUM`,
  );
  browser ??= await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  return browser;
}

export async function close(): Promise<void> {
  await browser?.close();
  browser = undefined;
}

export async function open(url: string, { width = 1280, scheme = "light", touch = false }: How = {}): Promise<Opened> {
  const room = await (
    await launched()
  ).newContext({
    viewport: { width, height: width < 500 ? 844 : 800 },
    colorScheme: scheme,
    hasTouch: touch,
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await room.newPage();
  const faults: string[] = [];
  const own = new URL(url).origin;
  page.on(
    "console",
    (said) => void (["error", "warning"].includes(said.type()) && faults.push(`${said.text()} ${said.location().url}`)),
  );
  page.on("pageerror", (error) => void faults.push(error.message));
  page.on(
    "request",
    (request) => void (new URL(request.url()).origin !== own && faults.push(`request to ${request.url()}`)),
  );
  await page.goto(url);
  return { page, faults };
}

/** Opens the page with the tests' context and a view, and waits for the prompt. */
export async function opened(server: Server, words: { [key: string]: string } = {}, how: How = {}): Promise<Opened> {
  const made = await open(`${server.url}/#${new URLSearchParams({ ...words, z: packed() })}`, how);
  await made.page.waitForFunction(() => document.querySelector(".summary strong") !== null);
  await idle(made.page);
  return made;
}

function packed(extra: { [key: string]: unknown } = {}): string {
  return deflateRawSync(JSON.stringify({ context: CONTEXT, ...extra })).toString("base64url");
}

/** Waits until no answer is awaited and the page has been drawn. */
export async function idle(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector("[data-pending='true']") === null);
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
}

const AXE = readFileSync("node_modules/axe-core/axe.min.js", "utf8");

interface Violation {
  id: string;
  impact: string | null;
  nodes: { target: string[] }[];
}

/** What axe finds that is serious: the rule, and the elements. */
export async function barriers(page: Page): Promise<[string, string[]][]> {
  // The debugger's door: the policy forbids scripts that come any other way.
  await page.evaluate(AXE);
  const found = (await page.evaluate("axe.run().then((told) => told.violations)")) as Violation[];
  const serious = found.filter((one) => one.impact === "serious" || one.impact === "critical");
  return serious.map((one) => [one.id, one.nodes.map((node) => node.target.join(" ")).slice(0, 4)]);
}

export const prompt = (page: Page): Promise<string> => page.locator(".prompt").evaluate((one) => one.textContent ?? "");

export { serve };
