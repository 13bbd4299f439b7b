const newline = 0x0a;

/**
 * Parses newline-delimited JSON from chunks, and calls `onValue` for each complete line that is not blank. Bytes are joined
 * before decoding, because a chunk may end within a character, and only once per line. Text after the last newline is kept:
 * at the end of a stream it is an incomplete line.
 *
 * The returned function throws SyntaxError, without a quote, for a line that is not JSON or is longer than `maxBytes`. A
 * line without an end would otherwise fill the memory.
 */
export function jsonLines(
  onValue: (value: unknown) => void,
  { maxBytes }: { readonly maxBytes: number },
): (chunk: Buffer) => void {
  let held: Buffer[] = [];
  let heldBytes = 0;
  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      let line = chunk.subarray(start, end);
      start = end + 1;
      if (held.length > 0) {
        line = Buffer.concat([...held, line]);
        held = [];
        heldBytes = 0;
      }
      const text = line.toString('utf8').trim();
      if (text !== '') onValue(parsed(text));
    }
    if (start === chunk.length) return;
    held.push(chunk.subarray(start));
    heldBytes += chunk.length - start;
    if (heldBytes <= maxBytes) return;
    held = [];
    throw new SyntaxError('a line is too long');
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The engine's message quotes the text, which may be a secret.
    throw new SyntaxError('a line is not JSON');
  }
}
