// Small parts that several views share.
// In: plain values. Out: elements. Never: asks the server.

import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import type { Problem } from "../api";
import { thousands } from "../text/place";
import type { CacheClass } from "../types";

export const Class = ({ of }: { of: CacheClass }) => <span class={`class ${of}`}>{of}</span>;

export const Count = ({ of, unit }: { of: number; unit: string }) => (
  <span class="count">
    {thousands(of)} {unit}
  </span>
);

export function Delta({ of, unit }: { of: number; unit: string }) {
  const sign = of > 0 ? "+" : of < 0 ? "−" : "±";
  return (
    <span class="count">
      {sign}
      {thousands(Math.abs(of))} {unit}
    </span>
  );
}

interface FieldProps {
  label: string;
  value: string;
  onValue: (value: string) => void;
  hint?: string;
  type?: "text" | "number" | "password";
}

export function Field({ label, value, onValue, hint, type = "text" }: FieldProps) {
  const id = useId();
  const set = (event: { currentTarget: HTMLInputElement }): void => onValue(event.currentTarget.value);
  const own = { id, value, placeholder: hint ?? "", autocomplete: "off", spellcheck: false, onInput: set } as const;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {type === "number" ? (
        <input {...own} type="number" min={1} />
      ) : type === "password" ? (
        <input {...own} type="password" />
      ) : (
        <input {...own} type="text" />
      )}
    </div>
  );
}

/** A field for a few lines. */
export function Lines({ label, value, onValue, hint }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        rows={2}
        value={value}
        placeholder={hint ?? ""}
        spellcheck={false}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    </div>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  options: (readonly [value: string, shown: string])[];
  onValue: (value: string) => void;
}

export function Choice({ label, value, options, onValue }: ChoiceProps) {
  const id = useId();
  const known = options.some(([one]) => one === value) ? options : [...options, [value, value] as const];
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onValue(event.currentTarget.value)}>
        {known.map(([one, shown]) => (
          <option key={one} value={one} selected={one === value}>
            {shown}
          </option>
        ))}
      </select>
    </div>
  );
}

/** A few options side by side, one of them chosen. */
export function Switch({ label, value, options, onValue }: ChoiceProps) {
  return (
    <div class="switch" role="group" aria-label={label}>
      {options.map(([one, shown]) => (
        <button key={one} type="button" aria-pressed={one === value} onClick={() => onValue(one)}>
          {shown}
        </button>
      ))}
    </div>
  );
}

/** What went wrong, where the view would be. */
export function Refusal({ problem }: { problem: Problem | null }) {
  if (problem === null) return null;
  return (
    <p class="refusal" role="alert">
      {problem.code !== null && <code>{problem.code}</code>} {problem.message}
    </p>
  );
}

export const Empty = ({ children }: { children: ComponentChildren }) => <p class="empty">{children}</p>;

/** Puts a text on the clipboard, and says so for a moment. */
export function Copy({ label, text }: { label: string; text: () => string | Promise<string> }) {
  const copy = async (event: Event): Promise<void> => {
    const button = event.currentTarget as HTMLButtonElement;
    await navigator.clipboard.writeText(await text()).then(
      () => (button.dataset["done"] = "copied"),
      () => (button.dataset["done"] = "refused"),
    );
    setTimeout(() => delete button.dataset["done"], 1200);
  };
  return (
    <button type="button" class="copy" onClick={(event) => void copy(event)}>
      {label}
    </button>
  );
}
