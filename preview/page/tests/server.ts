// Runs the real server on a copy of the tests' pack.
// In: flags. Out: its address, and the folder of the copy. Never: leaves a process or a folder behind.

import { spawn, type ChildProcess } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const TARGET = resolve("../..", process.env["CARGO_TARGET_DIR"] ?? "target");

/** The binary under test: the workspace's own, unless `PROMPTWEAVE` names another. */
const BINARY = process.env["PROMPTWEAVE"] ?? join(TARGET, "debug/promptweave");

const START_MS = 20_000;

export interface Server {
  url: string;
  /** The copied pack; files in it may be edited. */
  pack: string;
  stop: () => void;
}

export async function serve(flags: string[] = []): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), "mill-"));
  cpSync("tests/pack", join(folder, "mill"), { recursive: true });
  const words = ["serve", "--addr", "127.0.0.1:0", "--no-standard", "--pack", "mill", ...flags];
  const child = spawn(BINARY, words, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const stop = (): void => {
    child.kill("SIGTERM");
    rmSync(folder, { recursive: true, force: true });
  };
  process.once("exit", stop);
  return { url: await address(child), pack: join(folder, "mill"), stop };
}

function address(child: ChildProcess): Promise<string> {
  return new Promise((found, failed) => {
    let said = "";
    const timer = setTimeout(() => failed(new Error(`no address was told: ${said}`)), START_MS);
    const hear = (data: Buffer): void => {
      said += data.toString();
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0];
      if (url === undefined) return;
      clearTimeout(timer);
      found(url);
    };
    child.stdout?.on("data", hear);
    child.stderr?.on("data", hear);
    child.once("error", failed);
    child.once("exit", (status) => failed(new Error(`the server ended with ${status}: ${said}`)));
  });
}
