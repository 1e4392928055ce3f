// A conversation: the same bytes until something changes, and a note that says what.

import { Engine } from "promptweave";

const engine = new Engine({
  standard: false,
  packs: [
    {
      name: "acme",
      files: {
        "pack.toml": "format = 1\nname = 'acme'\nversion = '1.0.0'",
        "generic.toml": "order = ['role', 'place']",
        "components/role.md": "You are a coding agent.",
      },
    },
  ],
}, [{ id: "place", reads: ["cwd"], call: ({ cwd }) => (cwd ? `Working folder: ${cwd}` : null) }]);

const session = engine.session({ date: "2026-01-15" });
const first = session.prompt({ cwd: "/a" });
console.log(session.prompt({ cwd: "/a" }) === first);

const second = session.prompt({ cwd: "/b" });
console.log(second.text);
console.log(second.diagnostics.map(({ code, message }) => `${code}: ${message}`).join("\n"));

const later = engine.restore(session.save());
console.log(later.prompt({ cwd: "/b" }).text === second.text);
