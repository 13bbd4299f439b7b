import { RedisClusterKind } from '../../apis/cache/v1alpha1/redis-cluster.ts';
import { StoreConfigKind } from '../../apis/core/v1alpha1/store-config.ts';
import { MySQLInstanceKind } from '../../apis/database/v1alpha1/mysql-instance.ts';
import { PostgreSQLInstanceKind } from '../../apis/database/v1alpha1/postgresql-instance.ts';
import {
  RDSInstanceClassKind,
  RDSInstanceKind,
} from '../../stacks/aws/kinds/database/v1beta1/rds-instance.ts';
import { InstanceKind as MachineKind } from '../../stacks/aws/kinds/ec2/v1beta1/instance.ts';
import { SubnetKind } from '../../stacks/aws/kinds/ec2/v1beta1/subnet.ts';
import { VPCKind } from '../../stacks/aws/kinds/ec2/v1beta1/vpc.ts';
import { NodeGroupKind } from '../../stacks/aws/kinds/eks/v1beta1/node-group.ts';
import { InstanceKind as DBInstanceKind } from '../../stacks/aws/kinds/rds/v1beta1/instance.ts';
import { QueueKind } from '../../stacks/aws/kinds/sqs/v1beta1/queue.ts';
import * as awsLegacy from '../../stacks/aws/kinds/v1alpha3/provider.ts';
import * as aws from '../../stacks/aws/kinds/v1beta1/provider-config.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { NetworkKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/network.ts';
import * as fcp from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/provider.ts';
import {
  AmbivalentDBInstanceClassKind,
  AmbivalentDBInstanceKind,
} from '../../stacks/demo-clouds/kinds/ocp/v1alpha1/ambivalent-db-instance.ts';
import * as ocp from '../../stacks/demo-clouds/kinds/ocp/v1alpha1/provider.ts';
import {
  CloudMemorystoreInstanceClassKind,
  CloudMemorystoreInstanceKind,
} from '../../stacks/gcp/kinds/cache/v1beta1/cloud-memorystore-instance.ts';
import { TopicKind } from '../../stacks/gcp/kinds/pubsub/v1alpha1/topic.ts';
import * as gcpLegacy from '../../stacks/gcp/kinds/v1alpha3/provider.ts';
import * as gcp from '../../stacks/gcp/kinds/v1beta1/provider-config.ts';
import {
  PostgreSQLDatabaseClassKind,
  PostgreSQLDatabaseKind,
} from '../../stacks/postgresql/kinds/v1alpha1/postgresql-database.ts';
import { PostgreSQLGrantKind } from '../../stacks/postgresql/kinds/v1alpha1/postgresql-grant.ts';
import { PostgreSQLRoleKind } from '../../stacks/postgresql/kinds/v1alpha1/postgresql-role.ts';
import * as postgresql from '../../stacks/postgresql/kinds/v1alpha1/provider.ts';

/* The kinds that the product defines but for those of AWS and of Google Cloud, by what they are for. */

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

/* Those of AWS and of Google Cloud. */

export const cloudKinds = {
  claims: [MySQLInstanceKind, RedisClusterKind],
  classes: [RDSInstanceClassKind, CloudMemorystoreInstanceClassKind],
  managed: [
    VPCKind,
    SubnetKind,
    MachineKind,
    RDSInstanceKind,
    DBInstanceKind,
    QueueKind,
    NodeGroupKind,
    CloudMemorystoreInstanceKind,
    TopicKind,
  ],
  providers: [awsLegacy.ProviderKind, aws.ProviderConfigKind, gcpLegacy.ProviderKind, gcp.ProviderConfigKind],
} as const;

/** Those of them, and of the demo's clouds, whose external names are given by their systems. */
export const assignedKinds = [NetworkKind, VPCKind, SubnetKind, MachineKind, QueueKind] as const;
