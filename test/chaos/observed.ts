import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import type { ProviderName } from './schedule.ts';

/** Something in a cloud or on the PostgreSQL server that carries a mark of ours. */
export interface External {
  readonly system: ProviderName;
  readonly name: string;
  /** Whom its mark names; equal marks mean the same managed resource. */
  readonly owner: string;
  /** Differs for one that was destroyed and made again under the same name. */
  readonly identity: string;
  /** Where the system lets us know. */
  readonly password?: string;
  /** The values that a user may set, by the name of the field of `forProvider`. */
  readonly fields: Readonly<Record<string, number | string>>;
}

/** The whole world at about one moment. Secrets are those with connection details. */
export interface Observed {
  readonly claims: readonly Claim[];
  readonly managed: readonly Managed[];
  readonly secrets: readonly Secret[];
  readonly externals: readonly External[];
}

/** Where the external resource of a managed kind is. */
export const systemOf: Readonly<Record<string, External['system']>> = {
  FavouriteDBInstance: 'favourite',
  AmbivalentDBInstance: 'other',
  PostgreSQLDatabase: 'postgresql',
  Network: 'favourite',
  RDSInstance: 'aws',
  VPC: 'aws',
  Queue: 'aws',
  CloudMemorystoreInstance: 'gcp',
  Topic: 'gcp',
};

/** Kinds without a password. */
export const withoutPassword: ReadonlySet<string> = new Set(['Network', 'VPC', 'Queue', 'Topic']);
