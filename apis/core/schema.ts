import { z } from 'zod';
import type { Kind, KubernetesObject } from './v1alpha1/kind.ts';

/** A column of `kubectl get`. Columns with a priority above 0 are shown with `-o wide` only. */
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

/** The type of a column that can show the values of a schema; undefined for lists, objects and unknown types. */
export function columnType({ _zod: { def } }: z.core.$ZodType): Column['type'] | undefined {
  if (def.type === 'optional') return columnType((def as z.core.$ZodOptionalDef).innerType);
  if (def.type === 'number') return 'format' in def ? 'integer' : 'number';
  return columnTypes[def.type];
}

/** All facts about a kind: its type, its definition in the cluster, its documentation. */
export interface Definition<T extends KubernetesObject = KubernetesObject> extends Kind<T> {
  readonly description: string;
  readonly categories: readonly string[];
  readonly shortNames?: readonly string[];
  readonly columns: readonly Column[];
  /** The fields of its objects besides apiVersion, kind and metadata. */
  readonly schema: z.ZodObject;
  /** For a managed kind or a class: the `forProvider` of a creation, with its required fields. */
  readonly parameters?: z.ZodObject;
  /** The status is written through a subresource, and `metadata.generation` counts the changes of the rest. */
  readonly hasStatusSubresource: boolean;
  /** For a managed kind: the entries of its connection Secrets. Absent: none. */
  readonly connectionDetails?: Readonly<Record<string, z.ZodType>>;
  /** For a managed kind: whether a loss of the external resource loses data. */
  readonly holdsData?: boolean;
  /** Mistakes of the author that the schema does not show: one line each, for {@link definitionProblems}. */
  readonly problems?: readonly string[];
}

/** The names in a definition that differ between kinds of the same sort. */
export interface Names<K extends string = string> {
  readonly group: string;
  readonly version: string;
  readonly kind: K;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  readonly description: string;
}

/**
 * A type whose fields are read-only at all depths. It is exported because declaration files would otherwise spell out ten
 * levels of it: compilers then took half a minute for a stack, and saw `any` below.
 *
 * @public
 */
export type DeepReadonly<T> = T extends readonly unknown[] | object
  ? { readonly [P in keyof T]: DeepReadonly<T[P]> }
  : T;

/** The type of the JSON value that a schema describes: fields with a default may be absent. */
export type Described<S extends z.ZodType> = DeepReadonly<z.input<S>>;

/** The type of a kind's objects as JSON: fields with a default may be absent. */
export type ObjectOf<S extends z.ZodObject> = KubernetesObject & Described<S>;

/** The type of the objects of a definition. */
export type ObjectKind<D extends Definition> = NonNullable<D['objectType']>;

/** Joins a kind's facts with its schema. The object type follows from the schema and differs for every kind. */
export const define = <S extends z.ZodObject, K extends string>(
  facts: Omit<Definition, 'schema' | 'objectType' | 'kind'> & { readonly kind: K },
  schema: S,
): Definition<ObjectOf<S> & { readonly kind: K }> => ({ ...facts, schema });

/** A field that may be absent, but not `undefined`. */
export const optional = <S extends z.ZodType>(schema: S) => z.exactOptional(schema);

/** Text of at least one character. */
export const text = (description: string) => z.string().min(1).describe(description);

/** The name of an object, or a part of it. */
export const name = (description: string) => z.string().min(1).max(253).describe(description);

/** A map of texts, for example labels. */
export const texts = (description: string) => z.record(z.string(), z.string()).describe(description);

type OptionalFields<S extends z.ZodRawShape> = {
  readonly [F in keyof S]: S[F] extends { readonly _zod: { readonly optin: 'optional' } }
    ? S[F]
    : z.ZodExactOptional<S[F]>;
};

/** The same fields, all optional, and the names of those that were required. */
export function optionalFields<S extends z.ZodRawShape>(shape: S) {
  const isRequired = (field: z.core.$ZodType) => field._zod.optin === undefined;
  const fields = Object.fromEntries(
    Object.entries(shape).map(([name, field]) => [name, isRequired(field) ? z.exactOptional(field) : field]),
  );
  const required = Object.keys(shape).filter((name) => fields[name] !== shape[name]);
  return { fields: fields as unknown as OptionalFields<S>, required };
}
