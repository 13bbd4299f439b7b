import { z } from 'zod';
import type { Kind, KubernetesObject } from './v1alpha1/kind.ts';

/** A column of `kubectl get`. Columns of a priority above 0 show with `-o wide` only. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly jsonPath: string;
  readonly description?: string;
  readonly priority?: number;
}

const columnTypes: Readonly<Record<string, Column['type']>> = {
  string: 'string',
  enum: 'string',
  boolean: 'boolean',
};

/** In what type of column the values of a schema can be shown; undefined of lists, objects and what no server knows. */
export function columnType({ _zod: { def } }: z.core.$ZodType): Column['type'] | undefined {
  if (def.type === 'optional') return columnType((def as z.core.$ZodOptionalDef).innerType);
  if (def.type === 'number') return 'format' in def ? 'integer' : 'number';
  return columnTypes[def.type];
}

/** Everything about a kind in one place: its type, its definition in the cluster, its documentation. */
export interface Definition<T extends KubernetesObject = KubernetesObject> extends Kind<T> {
  readonly description: string;
  readonly categories: readonly string[];
  readonly shortNames?: readonly string[];
  readonly columns: readonly Column[];
  /** What its objects hold beside apiVersion, kind and metadata. */
  readonly schema: z.ZodObject;
  /** Of a managed kind: `forProvider` of what is made, with the fields that it requires. */
  readonly parameters?: z.ZodObject;
  /** Status is written through a subresource of its own, and `metadata.generation` counts the rest. */
  readonly hasStatusSubresource: boolean;
  /** What its author got wrong and its schema does not show: a line each, for {@link definitionProblems}. */
  readonly problems?: readonly string[];
}

/** What a definition is given beside what every one of its sort has. */
export interface Names<K extends string = string> {
  readonly group: string;
  readonly version: string;
  readonly kind: K;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  readonly description: string;
}

/**
 * To be read only, with all that is in it. Exported for the sake of declarations, which spell out ten levels of what they
 * cannot name: compilers took half a minute for an author's stack, and saw `any` below.
 */
export type DeepReadonly<T> = T extends readonly unknown[] | object
  ? { readonly [P in keyof T]: DeepReadonly<T[P]> }
  : T;

/** The type of what a schema describes, as it travels: fields with a default may be absent. */
export type Described<S extends z.ZodType> = DeepReadonly<z.input<S>>;

/** The type of a kind's objects as they travel: fields with a default may be absent. */
export type ObjectOf<S extends z.ZodObject> = KubernetesObject & Described<S>;

/** The type of the objects of a definition. */
export type ObjectKind<D extends Definition> = NonNullable<D['objectType']>;

/** Joins a kind's facts with its schema, from which the type of its objects follows: no two kinds' objects are of one. */
export const define = <S extends z.ZodObject, K extends string>(
  facts: Omit<Definition, 'schema' | 'objectType' | 'kind'> & { readonly kind: K },
  schema: S,
): Definition<ObjectOf<S> & { readonly kind: K }> => ({ ...facts, schema });

/** A field that may be absent, but not `undefined`. */
export const optional = <S extends z.ZodType>(schema: S) => z.exactOptional(schema);

/** Text of at least one character. */
export const text = (description: string) => z.string().min(1).describe(description);

/** The name of an object, or part of what names one. */
export const name = (description: string) => z.string().min(1).max(253).describe(description);

/** A map of texts, as labels are. */
export const texts = (description: string) => z.record(z.string(), z.string()).describe(description);

type OptionalFields<S extends z.ZodRawShape> = {
  readonly [F in keyof S]: S[F] extends { readonly _zod: { readonly optin: 'optional' } }
    ? S[F]
    : z.ZodExactOptional<S[F]>;
};

/** The same fields, all of which may be absent; and which might not be. */
export function optionalFields<S extends z.ZodRawShape>(shape: S) {
  const isRequired = (field: z.core.$ZodType) => field._zod.optin === undefined;
  const fields = Object.fromEntries(
    Object.entries(shape).map(([name, field]) => [name, isRequired(field) ? z.exactOptional(field) : field]),
  );
  const required = Object.keys(shape).filter((name) => fields[name] !== shape[name]);
  return { fields: fields as unknown as OptionalFields<S>, required };
}
