import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import { exampleAccount } from '../../../stacks/aws/emulator/account.ts';
import type { InvariantOf } from '../invariant.ts';
import { isProcess } from '../invariant.ts';
import { oddSecretText } from '../workload/odd-objects.ts';

/** The tokens, passwords and keys of the inventories. */
export const providerSecrets = [
  'favourite-token',
  'other-token',
  'postgres-password',
  exampleAccount.secretAccessKey,
  'BEGIN PRIVATE KEY',
] as const;

/** The same, and the beginning of every password that a simulated process generates, and of what odd Secrets have. */
const secretTexts = ['pw-p', ...providerSecrets, oddSecretText] as const;

/**
 * The part of a base64 encoding that depends only on the text, wherever the text begins in the encoded data.
 */
const encoded = (text: string): readonly string[] =>
  [0, 1, 2].map((offset) => {
    const whole = Buffer.from(' '.repeat(offset) + text)
      .toString('base64')
      .replace(/=+$/, '');
    const [from, to] = [Math.ceil((offset * 8) / 6), Math.floor(((offset + text.length) * 8) / 6)];
    return whole.slice(from, to);
  });

const traces = new RegExp(
  secretTexts
    .flatMap((secret) => [secret, ...encoded(secret)])
    .map((text) => text.replace(/[^\w-]/g, '\\$&'))
    .join('|'),
);

/** A secret value is in no place but a Secret. */
export const noSecretsLeaked: InvariantOf = () => ({
  name: 'no secret value is in a log line, a metric, an Event, a condition or any object but a Secret',
  changed({ by, kind, after }) {
    if (!isProcess(by) || after === undefined || kind.kind === 'Secret') return [];
    const found = traces.exec(JSON.stringify(after));
    return found === null ? [] : [`${kind.kind} ${objectKeyText(after.metadata)} has ${found[0]}`];
  },
  logged(line) {
    const found = traces.exec(line);
    return found === null ? [] : [`${found[0]} in ${line}`];
  },
  scraped(page) {
    const found = traces.exec(page);
    return found === null ? [] : [`${found[0]} in a metric`];
  },
  called({ by, verb, target, system }) {
    const found = traces.exec(target);
    return found === null ? [] : [`${by} ${verb} ${system}: ${found[0]} in ${target}`];
  },
});
