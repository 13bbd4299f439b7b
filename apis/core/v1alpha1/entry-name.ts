import { z } from 'zod';
import type { Rule } from '../rules.ts';
import { withRules } from '../rules.ts';
import type { KubernetesObject } from './kind.ts';
import { isObjectName } from './object-name.ts';

/** The part that makes the entries of two claims differ: a namespace and a name do not, as in `a-b`, `c` and `a`, `b-c`. */
const distinct = '{claim.uid}';
const maxLength = 253;

const placeholder = /[{]claim[.](namespace|name|uid)[}]/g;
const template = /^([^{}]|[{]claim[.](namespace|name|uid)[}])*$/;

const lacksUid = `must contain ${distinct}, so that each claim has an entry of its own`;
const notTemplate = 'must be text with {claim.namespace}, {claim.name} and {claim.uid}, without other braces';

const rules: readonly Rule[] = [
  { rule: `self.contains('${distinct}')`, message: lacksUid },
  { rule: `self.matches('${template.source}')`, message: notTemplate },
];

/** The template of a class for the names of entries in a secret store. */
export const entryNameTemplate = withRules(
  z
    .string()
    .min(1)
    .max(maxLength)
    .describe(
      'The template of the name in the store, such as {claim.namespace}-{claim.name}-{claim.uid}. It must contain {claim.uid}. The result is recorded in the resource.',
    ),
  ...rules,
);

/** Why a template gives no names, or undefined. The API server refuses it, if its definition has rules. */
export function whyNoEntryNames(text: string): string | undefined {
  if (!text.includes(distinct)) return lacksUid;
  return template.test(text) ? undefined : notTemplate;
}

/** The name of the entry for the resource of a claim. */
export function entryNameOf(
  text: string,
  { metadata: { namespace = '', name, uid = '' } }: KubernetesObject,
): string {
  const values: Readonly<Record<string, string>> = { namespace, name, uid };
  return text.replaceAll(placeholder, (_, field: string) => values[field] ?? '');
}

/** Why no entry can have a name, or undefined. In Vault a name may have several parts: `team-a/orders`. */
export function entryNameProblem(name: string): string | undefined {
  if (name.length > maxLength) return `is longer than ${maxLength} characters`;
  return name.split('/').every(isObjectName)
    ? undefined
    : 'does not consist of lowercase letters, digits, "-" and ".", with "/" between parts';
}
