// The native half, and how things of it are let go.
//
// In: the platform that this runs on. Out: its functions. Never: compiles or downloads anything.

import { join } from "node:path";

import type * as Addon from "./addon.cjs";

const folder = join(__dirname, "..", "prebuilt", `${process.platform}-${process.arch}`);

/** The program that plugins run in. */
export const pluginHost = join(
  folder,
  process.platform === "win32" ? "promptweave-plugin-host.exe" : "promptweave-plugin-host",
);

function load(): typeof Addon {
  try {
    return require(join(folder, "promptweave.node")) as typeof Addon;
  } catch (cause) {
    const where = `${process.platform}-${process.arch}`;
    throw new Error(`this package of promptweave has no addon that loads on ${where}`, { cause });
  }
}

export const addon = load();

/** The number of what is closed. */
export const CLOSED = 0xffff_ffff;

/** Lets things go that nobody has any more. */
export function registry(close: (number: number) => void): FinalizationRegistry<number> {
  return new FinalizationRegistry(close);
}

/** What only this package can call a constructor with. */
export const KEY: unique symbol = Symbol("promptweave");
