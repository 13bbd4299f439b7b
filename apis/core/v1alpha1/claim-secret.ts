/*
 *   "jdbc:postgresql://{{ host }}/app?user={{ username | uri }}"
 *                       key                 key       filter          {{{{ is two braces
 */

import { z } from 'zod';
import type { Rule } from '../rules.ts';
import { withRules } from '../rules.ts';
import type { Described } from '../schema.ts';
import { name, optional } from '../schema.ts';
import { keyRule, labelsAndAnnotations } from './template-metadata.ts';

/** The filters of templates. */
const templateFilters = ['uri', 'json', 'base64', 'shell', 'jdbc', 'upper'] as const;

export type TemplateFilter = (typeof templateFilters)[number];

const mostEntries = 40;
const longestTemplate = 4_096;

const filter = `(${templateFilters.join('|')})`;

/**
 * A part of a template that is not text: two braces, or a key with at most one filter. The groups are the key and the
 * filter.
 */
export const reference = `\\{\\{(?:\\{\\{| *([-._a-zA-Z0-9]+) *(?:\\| *${filter} *)?\\}\\})`;

/** The whole text of a template. Two braces begin a reference. */
const wellFormed = `^([^{]|\\{[^{]|${reference})*\\{?$`;

/** The key of an entry of a Secret, as the API server requires it. */
const entryKey = '^([.]?[-_a-zA-Z0-9][-._a-zA-Z0-9]*)$';
const longestKey = 253;
/** Why a Secret cannot have an entry with a key. Messages write it after the key. */
export const notEntryKey = `does not consist of at most ${longestKey} letters, digits, "-", "_" and "."`;

/** Entries that Service Binding needs. They are those of the connection details, unless the template replaces all. */
const bindingEntries = ['type', 'provider'];

export const isWellFormed = (template: string): boolean => new RegExp(wellFormed).test(template);
export const isEntryKey = (key: string): boolean =>
  key.length <= longestKey && new RegExp(entryKey).test(key);
export const isBindingEntry = (key: string): boolean => bindingEntries.includes(key);

const matches = (value: string, pattern: string): string => `${value}.matches(r'${pattern}')`;

const isKey = `size(key) <= ${longestKey} && ${matches('key', entryKey)}`;

const template = withRules(
  z
    .record(
      z.string(),
      withRules(z.string().max(longestTemplate), {
        rule: matches('self', wellFormed),
        message: `"{{" must begin {{ key }} or {{ key | filter }}, with one of the filters ${templateFilters.join(', ')}; write {{{{ for two braces`,
      }),
    )
    .describe(
      'Further entries of the Secret, by key. In each text, `{{ key }}` is replaced by an entry of the connection details, and `{{{{` by two braces. A filter changes the entry, as in `{{ password | uri }}`: uri (percent-encoding), json, base64, shell (in single quotes), jdbc (an address for JDBC) and upper.',
    )
    .meta({ maxProperties: mostEntries }),
  keyRule(`(${isKey})`, `!(${isKey})`, notEntryKey),
);

/** The fields by which a claim, and the class of the claim, shape the Secret of the claim. */
const secretShape = {
  ...labelsAndAnnotations,
  template: optional(template),
  only: optional(
    z
      .boolean()
      .describe(
        'With true, the Secret has only the entries of template. False (the default): it also has all connection details.',
      ),
  ),
};

const shapeRules: readonly Rule[] = [
  {
    rule: '!has(self.only) || !self.only || (has(self.template) && size(self.template) > 0)',
    message: 'needs a template beside it: without one the Secret could be empty',
    fieldPath: '.only',
  },
  {
    rule: `!has(self.template) || (has(self.only) && self.only) || !(${bindingEntries.map((key) => `'${key}' in self.template`).join(' || ')})`,
    message: `${bindingEntries.join(' and ')} are entries of Service Binding: choose other keys, or set only to true`,
    fieldPath: '.template',
    reason: 'FieldValueForbidden',
  },
];

/** The Secret that a claim names, and its shape. */
export const claimSecretReference = withRules(
  z
    .object({ name: name('Name of the Secret.'), ...secretShape })
    .describe(
      'The Secret, in the namespace of this claim, that receives the connection details. Without it no Secret is written.',
    ),
  ...shapeRules,
);

/** The shape of the Secrets of all claims of a class. */
export const classClaimSecret = withRules(
  z
    .object(secretShape)
    .describe(
      'The shape of the Secrets of all claims of this class, also of those that are Bound. A label, annotation or entry that a claim sets itself replaces the one of the class.',
    ),
  ...shapeRules,
);

/** Labels, annotations and further entries of a claim's Secret. */
export type SecretShape = Described<typeof classClaimSecret>;
