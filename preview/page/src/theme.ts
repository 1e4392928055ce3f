// Light, dark, or as the system has it.
// In: a choice. Out: an attribute on the root, kept in this browser. Never: in the shared address.

import { effect, signal } from "@preact/signals";

export const SCHEMES = ["auto", "light", "dark"] as const;
export type Scheme = (typeof SCHEMES)[number];

const KEY = "promptweave-scheme";

export const scheme = signal<Scheme>(SCHEMES.find((one) => one === localStorage.getItem(KEY)) ?? "auto");

effect(() => {
  document.documentElement.dataset["scheme"] = scheme.value;
  localStorage.setItem(KEY, scheme.value);
});
