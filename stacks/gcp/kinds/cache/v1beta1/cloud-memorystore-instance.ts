import { z } from 'zod';
import type { ObjectKind } from '../../../../../package/schema.ts';
import {
  defineClass,
  defineManaged,
  identity,
  immutable,
  late,
  optional,
  redisConnection,
  text,
  texts,
} from '../../../../../package/schema.ts';

const group = 'cache.gcp.crossplane.io';
const version = 'v1beta1';

const persistenceConfig = z
  .object({
    persistenceMode: optional(
      z.enum(['DISABLED', 'RDB']).describe('Whether snapshots are kept. DISABLED deletes the existing ones.'),
    ),
    rdbSnapshotPeriod: optional(
      z
        .enum(['ONE_HOUR', 'SIX_HOURS', 'TWELVE_HOURS', 'TWENTY_FOUR_HOURS'])
        .describe('How often a snapshot is taken. Default of the cloud: TWENTY_FOUR_HOURS.'),
    ),
    rdbSnapshotStartTime: optional(
      z
        .string()
        .meta({ format: 'date-time' })
        .describe('When the first snapshot is taken; the later ones follow at the interval.'),
    ),
  })
  .describe('The snapshots of the data.');

const maintenancePolicy = z
  .object({
    description: optional(z.string().max(512).describe('The description of the policy.')),
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
              .describe('The start of the window, in UTC. It lasts one hour.'),
          }),
        )
        .max(1)
        .describe('The maintenance windows; exactly one.'),
    ),
  })
  .describe('When maintenance of the instance may happen. Without it: at any time.');

const parameters = {
  region: identity(text('The region of the instance, for example us-central1.')),
  tier: immutable(
    z
      .enum(['BASIC', 'STANDARD_HA'])
      .describe('BASIC: a single node. STANDARD_HA: a primary and its replicas in several zones.'),
  ),
  memorySizeGb: z.int().min(1).max(300).describe('The memory of Redis, in GiB.'),
  displayName: optional(text('The name of the instance in the console of the cloud.')),
  labels: optional(
    texts(
      'Labels of the instance, besides those that name its owner. Keys and values have lower-case letters, digits, dashes and underscores. Labels that name the owner (crossplane-…) and labels of Google itself (goog-…) have no effect here.',
    ),
  ),
  locationId: optional(
    immutable(late(text('The zone of the instance, for example us-central1-a. Absent: the cloud chooses.'))),
  ),
  alternativeLocationId: optional(
    immutable(late(text('Another zone, for a replica. Only used with the tier STANDARD_HA.'))),
  ),
  redisVersion: optional(
    late(
      z
        .string()
        .regex(/^REDIS_[0-9]+_([0-9]+|X)$/)
        .describe(
          'The version of Redis, for example REDIS_7_0. Absent: the cloud chooses. A later version upgrades the instance, which cannot be undone.',
        ),
    ),
  ),
  reservedIpRange: optional(
    immutable(
      late(
        text(
          'The addresses that are reserved for the instance, for example 10.0.0.0/29. With connectMode PRIVATE_SERVICE_ACCESS: the name of an allocated range.',
        ),
      ),
    ),
  ),
  redisConfigs: optional(
    texts(
      'Configuration of Redis: maxmemory-policy, notify-keyspace-events, activedefrag, lfu-log-factor, lfu-decay-time, maxmemory-gb, stream-node-max-bytes, stream-node-max-entries, if the version supports them.',
    ),
  ),
  authorizedNetwork: optional(
    immutable(
      late(
        text(
          'The network of the instance, as projects/{project}/global/networks/{network}. Absent: the network named default.',
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
          'Whether clients must send the AUTH string, which is the password in the connection details. Default of the cloud: false.',
        ),
    ),
  ),
  transitEncryptionMode: optional(
    immutable(
      late(
        z
          .enum(['SERVER_AUTHENTICATION', 'DISABLED'])
          .describe('Whether clients must use TLS. Default of the cloud: DISABLED.'),
      ),
    ),
  ),
  replicaCount: optional(
    late(z.int().min(0).max(5).describe('The number of replicas. Only used with the tier STANDARD_HA.')),
  ),
  readReplicasMode: optional(
    late(
      z
        .enum(['READ_REPLICAS_DISABLED', 'READ_REPLICAS_ENABLED'])
        .describe('Whether replicas can be read. Only used with the tier STANDARD_HA and at least 5 GiB.'),
    ),
  ),
  secondaryIpRange: optional(
    text('More addresses, for replicas that are added to an existing instance: a range, or auto.'),
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
    holdsData: true,
    description:
      'A Memorystore instance of Google Cloud: a Redis. Its external name is the id of the instance within project and region.',
    connectionDetails: redisConnection,
  },
  z.object(parameters).describe('The desired state of the instance. Changes made elsewhere are reverted.'),
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
          statusMessage: optional(z.string().describe('The message of the cloud about the state.')),
          host: optional(z.string().describe('The host of Redis.')),
          port: optional(z.int().describe('The port of Redis.')),
          readEndpoint: optional(z.string().describe('The host for reads from replicas.')),
          readEndpointPort: optional(z.int().describe('The port for reads from replicas.')),
          currentLocationId: optional(
            z.string().describe('The zone of the primary, which a failover changes.'),
          ),
          createTime: optional(z.string().describe('When the cloud created the instance.')),
          persistenceIamIdentity: optional(
            z.string().describe('The account that imports and exports use at Cloud Storage.'),
          ),
        })
        .describe('The state of the instance that the cloud reports.'),
    ),
  },
);
export type CloudMemorystoreInstance = ObjectKind<typeof CloudMemorystoreInstanceKind>;

/** The parameters of Memorystore instances for claims. */
export const CloudMemorystoreInstanceClassKind = defineClass(
  {
    group,
    version,
    kind: 'CloudMemorystoreInstanceClass',
    plural: 'cloudmemorystoreinstanceclasses',
    shortNames: ['memorystoreclass'],
    description: 'A class of Memorystore instances for claims for a Redis.',
  },
  z.object(parameters).describe('The parameters of every instance of this class.'),
);
export type CloudMemorystoreInstanceClass = ObjectKind<typeof CloudMemorystoreInstanceClassKind>;
