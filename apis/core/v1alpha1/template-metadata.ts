import { z } from 'zod';
import type { Rule } from '../rules.ts';
import { withRules } from '../rules.ts';
import { optional } from '../schema.ts';
import { advice } from './advice.ts';

/** The most labels, and the most annotations, in a template. */
const mostKeys = 20;
/** All annotations of an object together have at most 256 KiB. */
const longestAnnotation = 4_096;

/** Keys of Kubernetes and of these controllers, which act on them: on a consent to copy a Secret, for example. */
const reservedKey = /^([^/]*[.])?(crossplane|kubernetes|k8s)[.]io[/]/;
/** A key that Kubernetes allows has a name, and perhaps a DNS subdomain before it. These are their characters and lengths. */
const qualifiedKey =
  /^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?[/])?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
/** A part of a subdomain that is empty, or that begins or ends with a hyphen. */
const brokenSubdomain = /^[^/]*([.][-.]|-[.])[^/]*[/]/;
const labelValue = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;

const reserved = 'belongs to Kubernetes or to these controllers';
const notQualified = 'is not one that Kubernetes allows';

/** A rule for the keys of a map, by two conditions in CEL. The message of the API server names the first wrong key. */
export const keyRule = (isAllowed: string, isWrong: string, why: string): Rule => ({
  rule: `self.all(key, ${isAllowed})`,
  message: `a key ${why}; ${advice.useAnotherKey}`,
  messageExpression: `'the key ' + self.filter(key, ${isWrong})[0] + ' ${why}; ${advice.useAnotherKey}'`,
});

const isReserved = `key.matches('${reservedKey.source}')`;
const isQualified = `(key.matches('${qualifiedKey.source}') && !key.matches('${brokenSubdomain.source}'))`;
const keyRules = [
  keyRule(`!${isReserved}`, isReserved, reserved),
  keyRule(isQualified, `!${isQualified}`, notQualified),
];

const map = (values: z.ZodString, description: string) =>
  withRules(
    z.record(z.string(), values).describe(description).meta({ maxProperties: mostKeys }),
    ...keyRules,
  );

const without = 'at most 20, without keys of kubernetes.io, k8s.io and crossplane.io.';

/** The labels and annotations that a template gives to an object. */
export const labelsAndAnnotations = {
  labels: optional(map(z.string().regex(labelValue), `Labels, ${without}`)),
  annotations: optional(
    map(
      z.string().max(longestAnnotation),
      `Annotations of at most ${longestAnnotation} characters, ${without}`,
    ),
  ),
};

/** The labels and annotations of objects that are created from a template. */
export const templateMetadata = (description: string) => z.object(labelsAndAnnotations).describe(description);

/** Why no object can have a key of a template, or undefined. The API server refuses it, if its definition has rules. */
export function whyKeyRefused(key: string): string | undefined {
  if (reservedKey.test(key)) return reserved;
  return qualifiedKey.test(key) && !brokenSubdomain.test(key) ? undefined : notQualified;
}
