// Holds the context against its schema, where it is written.
// In: the editor's state, the schema. Out: diagnostics of the editor. Never: judges what no schema declares, beyond a note.

import { syntaxTree } from "@codemirror/language";
import type { Diagnostic } from "@codemirror/lint";
import type { EditorState } from "@codemirror/state";
import type { SyntaxNode } from "@lezer/common";
import type { JsonObject } from "../types";
import { alternatives, at, isObject, properties, types } from "./schema";
import { children, isValue, keyOf, pathOf } from "./tree";

/** What is wrong with a context; a text that is no JSON is told of once, at the first place. */
export function check(state: EditorState, schema: JsonObject): Diagnostic[] {
  const found: Diagnostic[] = [];
  const tree = syntaxTree(state);
  let broken = -1;
  tree.iterate({
    enter: (node) => {
      if (node.type.isError && broken < 0) broken = node.from;
    },
  });
  if (broken >= 0 || tree.length < state.doc.length) return [syntax(state, Math.max(broken, 0))];
  const top = tree.topNode.firstChild;
  if (top === null || top.name !== "Object")
    return [{ from: 0, to: state.doc.length, severity: "error", message: "a context is one JSON object" }];
  walk(state, top, schema, found);
  return found;
}

function syntax(state: EditorState, from: number): Diagnostic {
  const to = Math.min(from + 1, state.doc.length);
  return {
    from: Math.max(0, Math.min(from, to - 1)),
    to,
    severity: "error",
    message: "this is no JSON: a value, a comma or a bracket is missing or too much",
  };
}

function walk(state: EditorState, node: SyntaxNode, schema: JsonObject, found: Diagnostic[]): void {
  const here = at(schema, pathOf(state, node));
  if (here !== null) judge(state, node, here, found);
  if (node.name === "Object") names(state, node, here, found);
  for (const child of children(node)) {
    const value = child.name === "Property" ? child.lastChild : child;
    if (value !== null && isValue(value)) walk(state, value, schema, found);
  }
}

const TYPE: { [node: string]: string[] } = {
  Object: ["object"],
  Array: ["array"],
  String: ["string"],
  Number: ["number", "integer"],
  True: ["boolean"],
  False: ["boolean"],
  Null: ["null"],
};

function judge(state: EditorState, node: SyntaxNode, schema: JsonObject, found: Diagnostic[]): void {
  const allowed = types(schema);
  const text = state.sliceDoc(node.from, node.to);
  const put = (message: string): void => void found.push({ from: node.from, to: node.to, severity: "error", message });
  const is = node.name === "Number" && !/^-?\d+$/.test(text) ? ["number"] : (TYPE[node.name] ?? []);
  if (allowed.length > 0 && !is.some((type) => allowed.includes(type))) {
    return put(`expected ${allowed.filter((type) => type !== "null").join(" or ")}, found ${is.at(-1) ?? "nothing"}`);
  }
  const list = schema["enum"];
  if (Array.isArray(list) && isPlain(node) && !list.includes(JSON.parse(text) as string)) {
    put(
      `expected one of ${list
        .filter((one) => one !== null)
        .map((one) => `\`${String(one)}\``)
        .join(", ")}`,
    );
  }
}

const isPlain = (node: SyntaxNode): boolean => node.name !== "Object" && node.name !== "Array";

/** Keys that stand twice, and keys that nothing declares. */
function names(state: EditorState, node: SyntaxNode, schema: JsonObject | null, found: Diagnostic[]): void {
  const seen = new Set<string>();
  const declared = schema === null ? {} : properties(schema);
  const open = schema === null || (Object.keys(declared).length === 0 && alternatives(schema).length === 0);
  for (const child of children(node).filter((one) => one.name === "Property")) {
    const name = child.getChild("PropertyName");
    const key = keyOf(state, child);
    if (name === null) continue;
    if (seen.has(key))
      found.push({
        from: name.from,
        to: name.to,
        severity: "warning",
        message: `\`${key}\` stands here twice; the last one counts`,
      });
    seen.add(key);
    if (!open && !isObject(declared[key])) {
      found.push({
        from: name.from,
        to: name.to,
        severity: "info",
        message: `nothing declares \`${key}\`: it is volatile, and templates reach it below \`ctx\``,
      });
    }
  }
}
