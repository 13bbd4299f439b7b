import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RedisCluster } from '../../apis/cache/v1alpha1/redis-cluster.ts';
import type { MySQLInstance } from '../../apis/database/v1alpha1/mysql-instance.ts';
import type { PostgreSQLInstance } from '../../apis/database/v1alpha1/postgresql-instance.ts';
import {
  configureFavouriteDBInstance,
  incompatibilityOfFavouriteDBInstance,
} from '../../stacks/demo-clouds/fcp/favourite-db-instance/configure.ts';
import type { FancySQLInstance } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import {
  configureAmbivalentDBInstance,
  incompatibilityOfAmbivalentDBInstance,
} from '../../stacks/demo-clouds/ocp/ambivalent-db-instance/configure.ts';
import {
  configureCloudMemorystoreInstance,
  incompatibilityOfCloudMemorystoreInstance,
} from '../../stacks/gcp/cloud-memorystore-instance/configure.ts';
import {
  configureMySQLDatabase,
  incompatibilityOfMySQLDatabase,
} from '../../stacks/mysql/mysql-database/configure.ts';
import {
  configurePostgreSQLDatabase,
  incompatibilityOfPostgreSQLDatabase,
} from '../../stacks/postgresql/postgresql-database/configure.ts';

/** The result of `configure` for these parameters of a class, or the reason why they cannot serve the claim. */
type Configure = (offered: never) => object | string;

const configuring =
  <C>(
    claim: C,
    whyIncompatible: (claim: C, offered: never) => string | undefined,
    configure: (claim: C, resourceClass: never) => { readonly forProvider: object },
  ): Configure =>
  (forProvider) =>
    whyIncompatible(claim, forProvider) ??
    configure(claim, { metadata: { name: 'small' }, specTemplate: { forProvider } } as never).forProvider;

const claimOf = <C>(spec: object): C => ({ metadata: { namespace: 'team', name: 'orders' }, spec }) as C;
const fancysql = (version?: string) => claimOf<FancySQLInstance>(version === undefined ? {} : { version });
const cacheOf = <C>(engineVersion?: string) =>
  claimOf<C>(engineVersion === undefined ? {} : { engineVersion });

/** A stack: its other parameters, the field that has the version, and its functions for a claim of a version. */
interface Of {
  readonly rest: object;
  readonly field: string;
  readonly claiming: (version?: string) => Configure;
  readonly rows: Readonly<
    Record<string, readonly [claim?: string | undefined, offered?: string | undefined, want?: string]>
  >;
}

/** Each version as the claim says it, as the class says it, and as the managed resource gets it; else the objection. */
const stacks: Readonly<Record<string, Of>> = {
  'a FavouriteDBInstance': {
    rest: { fancinessLevel: 3 },
    field: 'version',
    claiming: (version) =>
      configuring(fancysql(version), incompatibilityOfFavouriteDBInstance, configureFavouriteDBInstance),
    rows: {
      'neither says a version: the cloud chooses': [],
      'the class decides': [undefined, '5.6', '5.6'],
      'the claim decides where the class leaves it open': ['5.7', undefined, '5.7'],
      'both agree': ['5.7', '5.7', '5.7'],
      'they differ: both are named': [
        '5.7',
        '5.6',
        'has version "5.6", but the claim\'s spec.version is "5.7"',
      ],
    },
  },
  'an AmbivalentDBInstance': {
    rest: { ambivalence: 5 },
    field: 'engineVersion',
    claiming: (version) =>
      configuring(fancysql(version), incompatibilityOfAmbivalentDBInstance, configureAmbivalentDBInstance),
    rows: {
      'neither says a version': [],
      'the class decides': [undefined, '5.6', '5.6'],
      'the claim decides': ['5.7', undefined, '5.7'],
      'both agree': ['5.7', '5.7', '5.7'],
      'they differ': ['5.7', '5.6', 'has engineVersion "5.6", but the claim\'s spec.version is "5.7"'],
    },
  },
  'a CloudMemorystoreInstance': {
    rest: { region: 'us-central1', tier: 'BASIC', memorySizeGb: 1 },
    field: 'redisVersion',
    claiming: (version) =>
      configuring(
        cacheOf<RedisCluster>(version),
        incompatibilityOfCloudMemorystoreInstance,
        configureCloudMemorystoreInstance,
      ),
    rows: {
      'neither says a version': [],
      'the class decides': [undefined, 'REDIS_5_0', 'REDIS_5_0'],
      'the claim decides': ['5.0', undefined, 'REDIS_5_0'],
      'one of 6, which are all one to Memorystore': ['6.2', undefined, 'REDIS_6_X'],
      'as Memorystore puts it': ['6.x', undefined, 'REDIS_6_X'],
      'both agree': ['7.2', 'REDIS_7_2', 'REDIS_7_2'],
      'they differ': [
        '7.2',
        'REDIS_5_0',
        'has redisVersion "REDIS_5_0", but the claim\'s spec.engineVersion is "7.2"',
      ],
    },
  },
  'a PostgreSQLDatabase': {
    rest: { connectionLimit: 5 },
    field: 'engineVersion',
    claiming: (version) =>
      configuring(
        cacheOf<PostgreSQLInstance>(version),
        incompatibilityOfPostgreSQLDatabase,
        configurePostgreSQLDatabase,
      ),
    rows: {
      'neither says a version': [],
      'the class decides': [undefined, '18', '18'],
      'the claim decides': ['18', undefined, '18'],
      'both agree': ['18', '18', '18'],
      'both have the same major version': ['18.1', '18', '18'],
      'they differ': ['14', '18', 'has engineVersion "18", but the claim\'s spec.engineVersion is "14"'],
    },
  },
  'a MySQLDatabase': {
    rest: { maxUserConnections: 5 },
    field: 'engineVersion',
    claiming: (version) =>
      configuring(cacheOf<MySQLInstance>(version), incompatibilityOfMySQLDatabase, configureMySQLDatabase),
    rows: {
      'neither says a version': [],
      'the class decides': [undefined, '10.11', '10.11'],
      'the claim decides': ['10.11', undefined, '10.11'],
      'both agree': ['10.11', '10.11', '10.11'],
      'the class is more precise': ['10.11', '10.11.19', '10.11.19'],
      'they differ': [
        '8.0',
        '10.11',
        'has engineVersion "10.11", but the claim\'s spec.engineVersion is "8.0"',
      ],
      'one begins as the other': [
        '10.1',
        '10.11',
        'has engineVersion "10.11", but the claim\'s spec.engineVersion is "10.1"',
      ],
    },
  },
};

for (const [what, { rest, field, claiming, rows }] of Object.entries(stacks)) {
  describe(`${what} gets what the class says, and the version of the claim`, () => {
    for (const [name, [version, offered, want]] of Object.entries(rows)) {
      test(name, () => {
        const configure = claiming(version);
        const configured = configure({
          ...rest,
          ...(offered !== undefined && { [field]: offered }),
        } as never);
        const expected = want?.startsWith('has ')
          ? want
          : { ...rest, ...(want !== undefined && { [field]: want }) };
        assert.deepEqual(configured, expected);
      });
    }
  });
}
