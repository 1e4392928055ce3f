// How the editor looks: by the page's own colours, in both schemes.
// In: nothing. Out: an extension. Never: an image from a `data:` address, which the policy forbids.

import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const underline = (colour: string): { [rule: string]: string } => ({
  backgroundImage: "none",
  textDecoration: `underline wavy var(${colour}) 1px`,
  textUnderlineOffset: "3px",
  paddingBottom: "0",
});

const theme = EditorView.theme({
  "&": { height: "100%", fontSize: "12.5px", color: "var(--ink)", backgroundColor: "var(--field)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--ink)", padding: "6px 0" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--faint)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--line-here)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--selection)",
  },
  ".cm-tooltip": {
    backgroundColor: "var(--raised)",
    color: "var(--ink)",
    border: "1px solid var(--edge)",
    borderRadius: "4px",
  },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-completionDetail": { color: "inherit", opacity: "0.8" },
  ".cm-panels, .cm-panel.cm-panel-lint": { backgroundColor: "var(--raised)", color: "var(--ink)" },
  ".cm-panel.cm-panel-lint ul [aria-selected], .cm-panel.cm-panel-lint ul:focus [aria-selected]": {
    backgroundColor: "var(--selection)",
    color: "var(--ink)",
  },
  ".cm-panel.cm-panel-lint button": { color: "var(--ink)" },
  ".cm-diagnostic": { borderLeft: "3px solid var(--edge)", fontFamily: "var(--sans)", maxWidth: "40ch" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--error)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--warning)" },
  ".cm-lintRange-error": underline("--error"),
  ".cm-lintRange-warning": underline("--warning"),
  ".cm-lintRange-info": underline("--faint"),
  ".cm-lintRange-active": { backgroundColor: "var(--line-here)" },
});

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--code-key)" },
  { tag: tags.string, color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-atom)" },
]);

export const look: Extension = [theme, syntaxHighlighting(colours)];
