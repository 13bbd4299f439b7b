const maxBytes = 10_000_000;

/** The text of an answer's body. Throws an Error if it is larger than any answer that we expect. */
export async function textOf(body: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
