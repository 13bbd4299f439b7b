import type { z } from 'zod';
import type { Definition } from '../schema.ts';
import { optional, text } from '../schema.ts';
import type { KubernetesObject } from './kind.ts';
import type { ReportedDetails } from './secret.ts';

/** The entries that a managed kind has in its connection Secrets, each with its description. `optional`: may be absent. */
export type DetailFields = Readonly<Record<string, z.ZodType<string, string>>>;

/** The details of these entries, as `observe` reports them. `null`: the entry no longer exists. No key fits none. */
export type DetailsIn<D extends DetailFields> = [keyof D] extends [never]
  ? Readonly<Record<string, never>>
  : { readonly [K in keyof z.input<z.ZodObject<D>>]: string | null };

declare const published: unique symbol;

/** Carries the type of the connection details of a kind. Never present at run time. */
export interface Publishing<D extends ReportedDetails> {
  readonly [published]?: D;
}

/** The connection details of a kind, as `observe` reports them, or any details if the kind is not known. */
export type DetailsOf<M extends Publishing<ReportedDetails>> = NonNullable<M[typeof published]>;

/** The key of a connection detail of a kind. */
export type DetailKey<M extends Publishing<ReportedDetails>> = KeyIn<DetailsOf<M>>;

type KeyIn<D> = { readonly [K in keyof D]-?: [D[K]] extends [never] ? never : K }[keyof D] & string;

/** A definition that declares these connection details. */
export function publishing<T extends KubernetesObject, D extends DetailFields>(
  { objectType: _typeOnly, ...definition }: Definition<T>,
  connectionDetails: D,
): Definition<T & Publishing<DetailsIn<D>>> {
  return { ...definition, connectionDetails };
}

const password = optional(text('The password.'));

/** The connection details of a database, as `databaseDetails` returns them. */
export const databaseConnection = {
  type: text('The protocol, as a type of servicebinding.io; also the scheme of `uri`.'),
  provider: text('The provider.'),
  endpoint: text('The host name or IP address.'),
  host: text('The same, for servicebinding.io.'),
  port: text('The port.'),
  username: text('The user.'),
  database: optional(text('The database.')),
  password,
  uri: optional(text('All of these in one address.')),
};

/** The connection details of an account on a shared server, as `serverDetails` returns them. */
export const serverConnection = ({
  type,
  provider,
  hasSslModeInUri,
}: {
  readonly type: string;
  readonly provider: string;
  readonly hasSslModeInUri: boolean;
}) => ({
  type: text(`The protocol, as a type of servicebinding.io: ${type}.`),
  provider: text(`The provider: ${provider}.`),
  endpoint: text('The host name or IP address of the server.'),
  host: text('The same, for servicebinding.io.'),
  port: text('The port of the server.'),
  sslmode: optional(
    text(
      'Whether and how clients use TLS: disable, require, verify-ca or verify-full, as for the administrator.',
    ),
  ),
  clusterCA: optional(
    text('The certificates to trust, in PEM format, if the server has a private authority.'),
  ),
  username: optional(text('The user.')),
  password,
  uri: optional(
    text(`All of these in one address, without ${hasSslModeInUri ? '' : 'sslmode and '}clusterCA.`),
  ),
});

/** The connection details of a Redis, as `redisDetails` returns them. */
export const redisConnection = {
  type: text('The protocol, as a type of servicebinding.io: redis.'),
  provider: text('The provider.'),
  endpoint: text('The host name or IP address.'),
  host: text('The same, for servicebinding.io.'),
  port: text('The port.'),
  uri: text('The address with the password.'),
  password,
  certificates: optional(text('The certificates to trust, in PEM format, if clients use TLS.')),
};
