import { z } from 'zod';
import type { Rule } from '../rules.ts';
import { withRules } from '../rules.ts';
import type { KubernetesObject } from './kind.ts';

/** The part that makes the entries of two claims differ: a namespace and a name do not, as in `a-b`, `c` and `a`, `b-c`. */
const distinct = '{claim.uid}';
const maxLength = 253;

const field = '[{]claim[.](namespace|name|uid)[}]';
const placeholder = new RegExp(field, 'g');
/** A namespace, a name and a UID begin and end with a letter or digit, so they can stand where one of these can. */
const letter = `([a-z0-9]|${field})`;
/** Names of objects, with `/` between them: hyphens, one dot or one slash separate letters and digits. */
const template = `^${letter}((-*|[./])${letter})*$`;

const lacksUid = `must contain ${distinct}, so that each claim has an entry of its own`;
const notTemplate =
  'must be a name with {claim.namespace}, {claim.name} and {claim.uid}: lowercase letters, digits, "-" and ".", and "/" between parts';

const rules: readonly Rule[] = [
  { rule: `self.contains('${distinct}')`, message: lacksUid },
  { rule: `self.matches('${template}')`, message: notTemplate },
];

/** The template of a class for the names of entries in a secret store. */
export const entryNameTemplate = withRules(
  z
    .string()
    .min(1)
    .max(maxLength)
    .describe(
      'The template of the name in the store, such as {claim.namespace}-{claim.name}-{claim.uid}. It must contain {claim.uid}. In Vault the name can have several parts, such as {claim.namespace}/{claim.uid}. The result is recorded in the resource.',
    ),
  ...rules,
);

/** Why a template gives no names, or undefined. The API server refuses it, if its definition has rules. */
export function whyNoEntryNames(text: string): string | undefined {
  if (!text.includes(distinct)) return lacksUid;
  return new RegExp(template).test(text) ? undefined : notTemplate;
}

/** The name of the entry for the resource of a claim. */
export function entryNameOf(
  text: string,
  { metadata: { namespace = '', name, uid = '' } }: KubernetesObject,
): string {
  const values: Readonly<Record<string, string>> = { namespace, name, uid };
  return text.replaceAll(placeholder, (_, part: string) => values[part] ?? '');
}

/** Why a template gives no name for a claim, although it gives names, or undefined. */
export const entryNameProblem = (name: string): string | undefined =>
  name.length > maxLength ? `is longer than ${maxLength} characters` : undefined;
