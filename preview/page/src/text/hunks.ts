// Puts the lines of a unified diff side by side.
// In: the diff of a section. Out: rows. Never: drops a line.

export interface Side {
  number: number;
  text: string;
  /** Where the two lines begin and end to differ; null where the whole line is new or gone. */
  apart: [from: number, to: number] | null;
}

export interface Row {
  left: Side | null;
  right: Side | null;
  same: boolean;
}

export function rows(diff: string): Row[] {
  const made: Row[] = [];
  let left: Side[] = [];
  let right: Side[] = [];
  let before = 1;
  let after = 1;
  const flush = (): void => {
    for (let at = 0; at < Math.max(left.length, right.length); at += 1)
      made.push(pair(left[at] ?? null, right[at] ?? null));
    left = [];
    right = [];
  };
  for (const line of diff.replace(/\n$/, "").split("\n")) {
    const head = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
    const text = line.slice(1);
    if (head !== null) {
      flush();
      [before, after] = [Number(head[1]), Number(head[2])];
    } else if (line.startsWith("-")) left.push({ number: before++, text, apart: null });
    else if (line.startsWith("+")) right.push({ number: after++, text, apart: null });
    else if (!line.startsWith("\\")) {
      flush();
      made.push({
        left: { number: before++, text, apart: null },
        right: { number: after++, text, apart: null },
        same: true,
      });
    }
  }
  flush();
  return made;
}

/** Two lines that stand for each other: what they begin and end with alike is not marked. */
function pair(left: Side | null, right: Side | null): Row {
  if (left === null || right === null) return { left, right, same: false };
  const most = Math.min(left.text.length, right.text.length);
  let head = 0;
  while (head < most && left.text[head] === right.text[head]) head += 1;
  let tail = 0;
  while (tail < most - head && left.text.at(-1 - tail) === right.text.at(-1 - tail)) tail += 1;
  if (head + tail < most / 3) return { left, right, same: false };
  left.apart = [head, left.text.length - tail];
  right.apart = [head, right.text.length - tail];
  return { left, right, same: false };
}
