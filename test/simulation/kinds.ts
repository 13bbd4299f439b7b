import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { apiVersionOf } from '../../apis/core/v1alpha1/kind.ts';
import { SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { StoreConfigKind } from '../../apis/core/v1alpha1/store-config.ts';
import { FancySQLInstanceKind } from '../../apis/database/v1alpha1/fancy-sql-instance.ts';
import { PostgreSQLInstanceKind } from '../../apis/database/v1alpha1/postgresql-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import { NetworkKind } from '../../apis/fcp/v1alpha3/network.ts';
import * as fcp from '../../apis/fcp/v1alpha3/provider.ts';
import {
  AmbivalentDBInstanceClassKind,
  AmbivalentDBInstanceKind,
} from '../../apis/ocp/v1alpha1/ambivalent-db-instance.ts';
import * as ocp from '../../apis/ocp/v1alpha1/provider.ts';
import {
  PostgreSQLDatabaseClassKind,
  PostgreSQLDatabaseKind,
} from '../../apis/postgresql/v1alpha1/postgresql-database.ts';
import { PostgreSQLGrantKind } from '../../apis/postgresql/v1alpha1/postgresql-grant.ts';
import { PostgreSQLRoleKind } from '../../apis/postgresql/v1alpha1/postgresql-role.ts';
import * as postgresql from '../../apis/postgresql/v1alpha1/provider.ts';

export const claimKinds: readonly Kind[] = [FancySQLInstanceKind, PostgreSQLInstanceKind];

export const classKinds: readonly Kind[] = [
  FavouriteDBInstanceClassKind,
  AmbivalentDBInstanceClassKind,
  PostgreSQLDatabaseClassKind,
];

export const managedKinds: readonly Kind[] = [
  FavouriteDBInstanceKind,
  AmbivalentDBInstanceKind,
  NetworkKind,
  PostgreSQLDatabaseKind,
  PostgreSQLRoleKind,
  PostgreSQLGrantKind,
];

export const providerKinds: readonly Kind[] = [
  fcp.ProviderKind,
  fcp.ProviderConfigKind,
  ocp.ProviderKind,
  ocp.ProviderConfigKind,
  postgresql.ProviderKind,
  postgresql.ProviderConfigKind,
];

/** Every kind that people write in a simulated cluster. */
export const kinds: readonly Kind[] = [
  SecretKind,
  StoreConfigKind,
  ...providerKinds,
  ...classKinds,
  ...managedKinds,
  ...claimKinds,
];

/** The kind of an object, by its apiVersion and kind. Throws if there is none. */
export function kindOf(object: Pick<KubernetesObject, 'apiVersion' | 'kind'>): Kind {
  const found = kinds.find((each) => each.kind === object.kind && apiVersionOf(each) === object.apiVersion);
  if (found === undefined) throw new Error(`no kind ${object.apiVersion} ${object.kind} is simulated`);
  return found;
}
