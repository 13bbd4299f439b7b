import { z } from 'zod';
import { identity, immutable, late } from '../../../core/marks.ts';
import type { ObjectKind } from '../../../core/schema.ts';
import { optional, text, texts } from '../../../core/schema.ts';
import { defineClass } from '../../../core/v1alpha1/define-class.ts';
import { defineManaged } from '../../../core/v1alpha1/define-managed.ts';

const group = 'cache.gcp.crossplane.io';
const version = 'v1beta1';

const persistenceConfig = z
  .object({
    persistenceMode: optional(
      z
        .enum(['DISABLED', 'RDB'])
        .describe('Whether snapshots are kept. DISABLED deletes those that there are.'),
    ),
    rdbSnapshotPeriod: optional(
      z
        .enum(['ONE_HOUR', 'SIX_HOURS', 'TWELVE_HOURS', 'TWENTY_FOUR_HOURS'])
        .describe('How often a snapshot is made. Default of the cloud: TWENTY_FOUR_HOURS.'),
    ),
    rdbSnapshotStartTime: optional(
      z
        .string()
        .meta({ format: 'date-time' })
        .describe('When the first snapshot is made; the others follow from it.'),
    ),
  })
  .describe('Which snapshots of the data are kept.');

const maintenancePolicy = z
  .object({
    description: optional(z.string().max(512).describe('What the policy is for.')),
    weeklyMaintenanceWindow: optional(
      z
        .array(
          z.object({
            day: z
              .enum(['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'])
              .describe('The day of the week.'),
            startTime: z
              .object({
                hours: optional(z.int().min(0).max(23).describe('Hours, from 0 to 23.')),
                minutes: optional(z.int().min(0).max(59).describe('Minutes, from 0 to 59.')),
              })
              .describe('When it begins, in UTC. It lasts an hour.'),
          }),
        )
        .max(1)
        .describe('When maintenance may disturb the instance: one window.'),
    ),
  })
  .describe('When maintenance may disturb the instance. Without it: at any time.');

const parameters = {
  region: identity(text('The region the instance is in, as us-central1.')),
  tier: immutable(
    z
      .enum(['BASIC', 'STANDARD_HA'])
      .describe('BASIC: a single node. STANDARD_HA: a primary and its replicas in several zones.'),
  ),
  memorySizeGb: z.int().min(1).max(300).describe('The memory of Redis, in GiB.'),
  displayName: optional(text('What the instance is called in the console of the cloud.')),
  labels: optional(
    texts(
      'Labels of the instance, beside those that say whose it is. Keys and values are of lower case letters, digits, dashes and underscores. Those that say whose it is (crossplane-…), and those of Google itself (goog-…), have no effect here.',
    ),
  ),
  locationId: optional(
    immutable(late(text('The zone of the instance, as us-central1-a. The cloud chooses if it is absent.'))),
  ),
  alternativeLocationId: optional(
    immutable(late(text('Another zone, for a replica. Of use with the tier STANDARD_HA.'))),
  ),
  redisVersion: optional(
    late(
      z
        .string()
        .regex(/^REDIS_[0-9]+_([0-9]+|X)$/)
        .describe(
          'The version of Redis, as REDIS_7_0. The cloud chooses if it is absent. A later one upgrades the instance; there is no way back.',
        ),
    ),
  ),
  reservedIpRange: optional(
    immutable(
      late(
        text(
          'The addresses reserved for the instance, as 10.0.0.0/29, or the name of an allocated range with connectMode PRIVATE_SERVICE_ACCESS.',
        ),
      ),
    ),
  ),
  redisConfigs: optional(
    texts(
      'Configuration of Redis: maxmemory-policy, notify-keyspace-events, activedefrag, lfu-log-factor, lfu-decay-time, maxmemory-gb, stream-node-max-bytes, stream-node-max-entries, as far as the version has them.',
    ),
  ),
  authorizedNetwork: optional(
    immutable(
      late(
        text(
          'The network the instance is reached through, as projects/{project}/global/networks/{network}. The cloud takes default if it is absent.',
        ),
      ),
    ),
  ),
  connectMode: optional(
    immutable(
      late(
        z
          .enum(['DIRECT_PEERING', 'PRIVATE_SERVICE_ACCESS'])
          .describe('How the network and the instance are connected. Default of the cloud: DIRECT_PEERING.'),
      ),
    ),
  ),
  authEnabled: optional(
    late(
      z
        .boolean()
        .describe(
          'Whether clients must say the AUTH string, which is the password among the connection details. Default of the cloud: false.',
        ),
    ),
  ),
  transitEncryptionMode: optional(
    immutable(
      late(
        z
          .enum(['SERVER_AUTHENTICATION', 'DISABLED'])
          .describe('Whether clients speak TLS. Default of the cloud: DISABLED.'),
      ),
    ),
  ),
  replicaCount: optional(
    late(z.int().min(0).max(5).describe('How many replicas there are. Of use with the tier STANDARD_HA.')),
  ),
  readReplicasMode: optional(
    late(
      z
        .enum(['READ_REPLICAS_DISABLED', 'READ_REPLICAS_ENABLED'])
        .describe('Whether replicas can be read. Of use with the tier STANDARD_HA and 5 GiB or more.'),
    ),
  ),
  secondaryIpRange: optional(
    text('Further addresses, for replicas that are added to an instance that is there: a range, or auto.'),
  ),
  customerManagedKey: optional(immutable(text('The Cloud KMS key that encrypts the data at rest.'))),
  persistenceConfig: optional(persistenceConfig),
  maintenancePolicy: optional(maintenancePolicy),
};

/** A Memorystore instance of Google Cloud: a Redis. */
export const CloudMemorystoreInstanceKind = defineManaged(
  {
    group,
    version,
    kind: 'CloudMemorystoreInstance',
    plural: 'cloudmemorystoreinstances',
    shortNames: ['memorystore'],
    stack: 'gcp',
    description:
      'A Memorystore instance of Google Cloud: a Redis. Its external name is the id of the instance within project and region.',
  },
  z.object(parameters).describe('The instance as it should be. Changes made elsewhere are reverted.'),
  {
    atProvider: optional(
      z
        .object({
          name: optional(
            z.string().describe('The full name: projects/{project}/locations/{region}/instances/{instance}.'),
          ),
          state: optional(
            z
              .string()
              .describe(
                'The state of the instance: CREATING, READY, UPDATING, DELETING, REPAIRING, MAINTENANCE, IMPORTING, FAILING_OVER.',
              ),
          ),
          statusMessage: optional(z.string().describe('What the cloud says about the state.')),
          host: optional(z.string().describe('Where Redis is reached.')),
          port: optional(z.int().describe('The port of Redis.')),
          readEndpoint: optional(z.string().describe('Where replicas are read.')),
          readEndpointPort: optional(z.int().describe('The port at which replicas are read.')),
          currentLocationId: optional(
            z.string().describe('The zone of the primary, which a failover changes.'),
          ),
          createTime: optional(z.string().describe('When the cloud made the instance.')),
          persistenceIamIdentity: optional(
            z.string().describe('The account that imports and exports use at Cloud Storage.'),
          ),
        })
        .describe('What the cloud says of the instance.'),
    ),
  },
);
export type CloudMemorystoreInstance = ObjectKind<typeof CloudMemorystoreInstanceKind>;

/** What Memorystore instances that claims are given are like. */
export const CloudMemorystoreInstanceClassKind = defineClass(
  {
    group,
    version,
    kind: 'CloudMemorystoreInstanceClass',
    plural: 'cloudmemorystoreinstanceclasses',
    shortNames: ['memorystoreclass'],
    description: 'A class of Memorystore instances, from which claims of a Redis are satisfied.',
  },
  z.object(parameters).describe('What every instance of this class is like.'),
);
export type CloudMemorystoreInstanceClass = ObjectKind<typeof CloudMemorystoreInstanceClassKind>;
