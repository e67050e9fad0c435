export { autocompletion, completionStatus, startCompletion } from "@codemirror/autocomplete";
export { indentWithTab } from "@codemirror/commands";
export { python } from "@codemirror/lang-python";
export { HighlightStyle, indentUnit, syntaxHighlighting } from "@codemirror/language";
export { setDiagnostics } from "@codemirror/lint";
export { EditorState, Prec } from "@codemirror/state";
export { EditorView, hoverTooltip, keymap } from "@codemirror/view";
export { basicSetup } from "codemirror";
export { tags } from "@lezer/highlight";
