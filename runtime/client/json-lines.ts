const newline = 0x0a;

/**
 * Takes the chunks of newline-delimited JSON and calls `onValue` for each complete line, blank ones left out.
 * Bytes are joined before they are decoded, so that a character split between chunks survives, and joined once,
 * however many chunks a line spans. What follows the last newline is held back: at the end of a stream it is a
 * line cut off. The returned function throws SyntaxError, which does not quote it, for a line that is not JSON, or that
 * goes on beyond `maxBytes`: a line without an end is not kept until memory is full.
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
