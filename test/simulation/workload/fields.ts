import memoize from 'lodash/memoize.js';
import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import type { JsonSchema } from '../../../apis/crd.ts';
import { objectSchema } from '../../../apis/crd.ts';
import { isDefinition } from '../../fakes/admission.ts';
import { classKinds, isUsual, kinds, managedKinds } from '../kinds.ts';

/** A field that people write: what has no fields of its own, as its kind's definition has it. */
export interface Field {
  readonly kind: Kind;
  /** `spec`, `forProvider`, `networkIdRef`, `name`. */
  readonly path: readonly string[];
  readonly schema: JsonSchema;
}

/** As in `spec.forProvider.networkIdRef.name`. */
export const fieldText = ({ path }: Pick<Field, 'path'>): string => path.join('.');

/** The fields that every object has, and that users write. */
const metadata: JsonSchema = {
  properties: {
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    annotations: { properties: { 'team/note': { type: 'string' } } },
  },
};

const annotationsOf = (...names: readonly (keyof typeof annotationKeys)[]): JsonSchema => ({
  properties: {
    ...metadata.properties,
    annotations: {
      properties: Object.fromEntries(
        ['team/note', ...names.map((name) => annotationKeys[name])].map((key) => [key, { type: 'string' }]),
      ),
    },
  },
});

const metadataOf = (kind: Kind): JsonSchema => {
  if (classKinds.includes(kind)) return annotationsOf('defaultClass');
  if (managedKinds.includes(kind))
    return annotationsOf('paused', 'pollInterval', 'reconcileRequestedAt', 'externalName');
  return metadata;
};

const secretSchema: JsonSchema = {
  properties: { data: { type: 'object', additionalProperties: { type: 'string' } } },
};

/** The schema of what people write of a kind: status is the controllers'. */
export const writtenSchema: (kind: Kind) => JsonSchema = memoize((kind: Kind) => {
  const { properties = {} } = isDefinition(kind)
    ? objectSchema(kind)
    : kind === SecretKind
      ? secretSchema
      : {};
  const { apiVersion: _v, kind: _k, status: _s, ...rest } = properties;
  return { properties: { ...rest, metadata: metadataOf(kind) }, required: Object.keys(rest) };
});

/** Every field of a kind. */
export const fieldsOf = (kind: Kind): readonly Field[] => leaves(kind, writtenSchema(kind), []);

const leaves = (kind: Kind, schema: JsonSchema, path: readonly string[]): readonly Field[] =>
  schema.properties === undefined
    ? [{ kind, path, schema }]
    : Object.entries(schema.properties).flatMap(([name, child]) => leaves(kind, child, [...path, name]));

const allKinds = [...new Set([...kinds, SecretKind])];

/** Every field of every kind whose stack is in every simulated world. */
export const fields: readonly Field[] = allKinds.filter(isUsual).flatMap(fieldsOf);

/** The same of AWS and of Google Cloud. */
export const cloudFields: readonly Field[] = allKinds.filter((kind) => !isUsual(kind)).flatMap(fieldsOf);
