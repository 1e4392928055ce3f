// Reads the syntax tree of a JSON text.
// In: nodes of the tree. Out: paths and keys. Never: needs the text to be valid.

import type { EditorState } from "@codemirror/state";
import type { SyntaxNode } from "@lezer/common";
import type { Step } from "./schema";

/** The key of a property without its quotes. */
export function keyOf(state: EditorState, property: SyntaxNode): string {
  const name = property.getChild("PropertyName");
  return name === null ? "" : state.sliceDoc(name.from, name.to).replace(/^"|"$/g, "");
}

/** The path of the value that a node stands in. */
export function pathOf(state: EditorState, node: SyntaxNode | null): Step[] {
  const path: Step[] = [];
  for (let here = node; here !== null; here = here.parent) {
    if (here.name === "Property") path.unshift(keyOf(state, here));
    if (here.parent?.name === "Array" && isValue(here)) path.unshift(before(here));
  }
  return path;
}

const VALUES = ["Object", "Array", "String", "Number", "True", "False", "Null"];

export const isValue = (node: SyntaxNode): boolean => VALUES.includes(node.name);

function before(node: SyntaxNode): number {
  let count = 0;
  for (let here = node.prevSibling; here !== null; here = here.prevSibling) if (isValue(here)) count += 1;
  return count;
}

export function children(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let here = node.firstChild; here !== null; here = here.nextSibling) found.push(here);
  return found;
}
