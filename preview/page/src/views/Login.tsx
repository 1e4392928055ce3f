// Asks for the token of a server that has one.
// In: a token. Out: a cookie that the server sets. Never: keeps the token.

import { useState } from "preact/hooks";
import { Problem, unlock } from "../api";
import { Field } from "./parts";

export function Login() {
  const [token, setToken] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const submit = (event: Event): void => {
    event.preventDefault();
    setToken("");
    unlock(token).catch((error: unknown) => {
      setProblem(error instanceof Problem && error.status === 401 ? "this is not the token" : String(error));
    });
  };
  return (
    <main class="login">
      <form onSubmit={submit}>
        <h1>promptweave</h1>
        <p>This server asks for its token: the content of the file that `--token-file` names.</p>
        <Field label="Token" type="password" value={token} onValue={setToken} />
        <button type="submit">Enter</button>
        <p class="refusal" role="alert">
          {problem}
        </p>
      </form>
    </main>
  );
}
