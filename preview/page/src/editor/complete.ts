// Completes keys and values of the context from its schema.
// In: the editor's state, the schema, ids of tools. Out: options. Never: offers a key that is already there.

import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { syntaxTree } from "@codemirror/language";
import type { SyntaxNode } from "@lezer/common";
import type { Json, JsonObject } from "../types";
import { at, description, isObject, properties, types, values } from "./schema";
import { children, keyOf, pathOf } from "./tree";

export interface Known {
  schema: JsonObject;
  tools: string[];
}

export function completer(known: () => Known) {
  return (context: CompletionContext): CompletionResult | null => {
    const node = syntaxTree(context.state).resolveInner(context.pos, -1);
    const word = context.matchBefore(/"[^"\n]*|[\w.]+/);
    if (word === null && !context.explicit) return null;
    const from = word?.from ?? context.pos;
    const to =
      context.state.sliceDoc(context.pos, context.pos + 1) === '"' && word?.text.startsWith('"')
        ? context.pos + 1
        : context.pos;
    const options = offers(context, node, known());
    return options.length === 0 ? null : { from, to, options, validFor: /^"?[\w.-]*"?$/ };
  };
}

function offers(context: CompletionContext, node: SyntaxNode, known: Known): Completion[] {
  const state = context.state;
  const holder = enclosing(node);
  if (holder === null) return [];
  const atKey =
    holder.name === "Object" &&
    (node.name === "PropertyName" || node.name === "Object" || expectsKey(state.sliceDoc(holder.from, context.pos)));
  const path = pathOf(state, holder);
  if (atKey)
    return keys(
      at(known.schema, path),
      new Set(
        children(holder)
          .filter((one) => one.name === "Property" && !covers(one, context.pos))
          .map((one) => keyOf(state, one)),
      ),
    );
  const place =
    holder.name === "Array" ? [...path, 0] : pathOf(state, node.name === "Property" ? node : property(node));
  const offered = place[0] === "tools" ? known.tools : values(at(known.schema, place) ?? {});
  return offered.map((value) => ({ label: JSON.stringify(value), type: "constant" }));
}

const covers = (node: SyntaxNode, at: number): boolean => node.from <= at && at <= node.to;

/** Whether a key comes next: the last mark that is no blank and no word opens or parts an object. */
const expectsKey = (text: string): boolean => /[{,]\s*"?[\w.-]*$/.test(text);

function enclosing(node: SyntaxNode): SyntaxNode | null {
  for (let here: SyntaxNode | null = node; here !== null; here = here.parent) {
    if (here.name === "Object" || here.name === "Array") return here;
  }
  return null;
}

function property(node: SyntaxNode): SyntaxNode | null {
  for (let here: SyntaxNode | null = node; here !== null; here = here.parent) if (here.name === "Property") return here;
  return null;
}

function keys(schema: JsonObject | null, taken: Set<string>): Completion[] {
  if (schema === null) return [];
  return Object.entries(properties(schema)).flatMap(([key, value]) =>
    taken.has(key) || !isObject(value) ? [] : [option(key, value)],
  );
}

function option(key: string, schema: JsonObject): Completion {
  const empty = blank(schema);
  const text = `"${key}": ${empty}`;
  return {
    label: `"${key}"`,
    detail: types(schema)
      .filter((type) => type !== "null")
      .join(" | "),
    info: description(schema),
    type: "property",
    apply: (view, _option, from, to) => {
      const rest = view.state.sliceDoc(to, to + 40).match(/^"?\s*:/);
      const insert = rest === null ? text : `"${key}"`;
      const inside = rest === null && '"{['.includes(empty[0] ?? "0") ? 1 : 0;
      view.dispatch({
        changes: { from, to, insert },
        selection: { anchor: from + insert.length - inside },
        userEvent: "input.complete",
      });
    },
  };
}

/** What a new value begins as. */
function blank(schema: JsonObject): string {
  const usual: Json | undefined = schema["default"];
  if (usual !== undefined && usual !== null) return JSON.stringify(usual);
  const type = types(schema)[0];
  if (type === "object") return "{}";
  if (type === "array") return "[]";
  if (type === "boolean") return "true";
  return type === "integer" || type === "number" ? "0" : '""';
}
