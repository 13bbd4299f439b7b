import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** A value that is found in any output. At most 41 characters: RDS refuses a longer password for MySQL. */
export const plantedValue = (): string => `planted${randomBytes(16).toString('hex')}`;

const shortest = 12;

/**
 * Looks for values that must not leak, in clear text or in base64. Short ones are left out: they occur by chance. Words
 * are letters, digits, dash and underscore, as passwords and tokens of ours are made of.
 */
export function leakedSecrets(values: Iterable<string>) {
  const words = new Map<string, string>();
  for (const value of values) {
    if (value.length < shortest) continue;
    const shortened = `${value.slice(0, 10)}…`;
    words.set(value, shortened);
    words.set(Buffer.from(value).toString('base64').replace(/=+$/, ''), `${shortened} in base64`);
  }
  return {
    /** The secrets that a text tells, shortened so that a report does not tell them either. */
    in: (text: string): readonly string[] =>
      (text.match(/[\w-]{12,}/g) ?? []).flatMap((word) => words.get(word) ?? []),
  };
}

/** The lines of a file that tell a secret: which one, and the line's beginning. */
export async function leakedInFile(file: string, secrets: ReturnType<typeof leakedSecrets>) {
  const found: string[] = [];
  const input = createReadStream(file);
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    for (const secret of secrets.in(line))
      found.push(`${secret}: ${line.slice(0, 300).replaceAll(secret, '…')}`);
  }
  return found;
}
