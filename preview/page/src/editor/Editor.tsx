// The context's editor: CodeMirror with highlighting, completion and inline errors.
// In: a text, what is known of contexts. Out: each edit, by a call. Never: a style element: it lives in a shadow root,
// where its styles are adopted, as the policy wants it.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching } from "@codemirror/language";
import { forceLinting, lintKeymap, linter } from "@codemirror/lint";
import { Annotation, EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap } from "@codemirror/view";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { check } from "./check";
import { completer, type Known } from "./complete";
import { look } from "./look";

/** Marks what the page itself puts in. */
const outside = Annotation.define<boolean>();

interface Props {
  label: string;
  text: string;
  known: Known;
  onEdit: (text: string) => void;
}

export function Editor({ label, text, known, onEdit }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef({ known, onEdit });
  latest.current = { known, onEdit };

  useEffect(() => {
    if (host.current === null) return undefined;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open", delegatesFocus: true });
    const changed = EditorView.updateListener.of((update) => {
      const typed = update.transactions.some((one) => one.docChanged && one.annotation(outside) !== true);
      if (typed) latest.current.onEdit(update.state.doc.toString());
    });
    view.current = new EditorView({
      root,
      parent: root,
      state: EditorState.create({ doc: text, extensions: [extensions(label, () => latest.current.known), changed] }),
    });
    return () => view.current?.destroy();
  }, []);

  // Before the next key can arrive: a later effect would put an older text over what was typed meanwhile.
  useLayoutEffect(() => {
    const doc = view.current?.state.doc;
    if (doc === undefined || doc.toString() === text) return;
    view.current?.dispatch({ changes: { from: 0, to: doc.length, insert: text }, annotations: outside.of(true) });
  }, [text]);

  useEffect(() => {
    if (view.current !== null) forceLinting(view.current);
  }, [known.schema]);

  return <div class="editor" ref={host} />;
}

function extensions(label: string, known: () => Known) {
  return [
    json(),
    history(),
    drawSelection(),
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    EditorView.lineWrapping,
    autocompletion({ override: [completer(known)], icons: false }),
    linter((view) => check(view.state, known().schema), { delay: 200 }),
    keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap]),
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
    look,
  ];
}
