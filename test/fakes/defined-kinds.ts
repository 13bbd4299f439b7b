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

/* The kinds that the product defines, by what they are for. */

export const claimKinds = [FancySQLInstanceKind, PostgreSQLInstanceKind] as const;

export const classKinds = [
  FavouriteDBInstanceClassKind,
  AmbivalentDBInstanceClassKind,
  PostgreSQLDatabaseClassKind,
] as const;

export const managedKinds = [
  FavouriteDBInstanceKind,
  AmbivalentDBInstanceKind,
  NetworkKind,
  PostgreSQLDatabaseKind,
  PostgreSQLRoleKind,
  PostgreSQLGrantKind,
] as const;

export const providerKinds = [
  fcp.ProviderKind,
  fcp.ProviderConfigKind,
  ocp.ProviderKind,
  ocp.ProviderConfigKind,
  postgresql.ProviderKind,
  postgresql.ProviderConfigKind,
] as const;

export const definitions = [
  StoreConfigKind,
  ...providerKinds,
  ...classKinds,
  ...managedKinds,
  ...claimKinds,
] as const;
