// Turns offsets in bytes of UTF-8 into offsets of the browser's strings.
// In: a text. Out: a function of byte offsets. Never: walks the text more than once.

export type ToUnits = (byte: number) => number;

/** One pass over the text; a text of ASCII alone costs no table. */
export function toUnits(text: string): ToUnits {
  const bytes = new TextEncoder().encode(text).length;
  const inside = (byte: number): number => Math.min(Math.max(byte, 0), bytes);
  if (bytes === text.length) return inside;
  const table = new Uint32Array(bytes + 1);
  let byte = 0;
  for (let unit = 0; unit < text.length;) {
    const code = text.codePointAt(unit) ?? 0;
    const width = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    table.fill(unit, byte, byte + width);
    byte += width;
    unit += code < 0x10000 ? 1 : 2;
  }
  table[bytes] = text.length;
  return (at) => table[inside(at)] ?? text.length;
}
