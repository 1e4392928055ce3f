// Puts the page into the document.
import { render } from "preact";
import { start } from "./live";
import "./style/tokens.css";
import "./style/layout.css";
import "./style/parts.css";
import "./style/views.css";
import "./theme";
import { App } from "./views/App";

const root = document.getElementById("page");
if (root !== null) {
  render(<App />, root);
  void start();
}
