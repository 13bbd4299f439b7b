import mapValues from 'lodash/mapValues.js';
import type { ConnectionDetails } from '../../../apis/core/v1alpha1/secret.ts';
import { realClock } from '../../../runtime/time/clock.ts';
import type { GoogleCloudClient } from '../../../stacks/gcp/client/google-cloud.ts';
import { googleCloudClient } from '../../../stacks/gcp/client/google-cloud.ts';
import { parseServiceAccountKey } from '../../../stacks/gcp/client/service-account-key.ts';
import { CloudMemorystoreInstanceKind } from '../../../stacks/gcp/kinds/cache/v1beta1/cloud-memorystore-instance.ts';
import { TopicKind } from '../../../stacks/gcp/kinds/pubsub/v1alpha1/topic.ts';
import { createGcpStack } from '../../../stacks/gcp/stack.ts';
import { describeConformance } from '../../../testing/conformance.ts';
import type { Given, World } from '../../../testing/scenario.ts';
import type { InProcessGoogleCloud } from '../../fakes/in-process-google-cloud.ts';
import { inProcessGoogleCloud } from '../../fakes/in-process-google-cloud.ts';

interface WorldOptions {
  /** The request that creates. */
  readonly creates: { readonly method: string; readonly path: string };
  readonly externals: (cloud: InProcessGoogleCloud) => readonly unknown[];
  /** Creates one of another user. */
  readonly foreign: (other: GoogleCloudClient, name: string) => Promise<unknown>;
  readonly opens?: (cloud: InProcessGoogleCloud, details: ConnectionDetails) => boolean;
}

/** The emulator as a world of the kit; its operations take time. */
function world({ clock, random }: Given, { creates, externals, foreign, opens }: WorldOptions): World {
  const times = { provisioningMs: 20_000, updateMs: 5_000, deletionMs: 10_000 };
  const cloud = inProcessGoogleCloud(clock, { random, ...times });
  const { dispatcher, credentials, parameters } = cloud;
  const key = parseServiceAccountKey(credentials);
  const by = { dispatcher, clock: realClock(), random: () => 0 };
  const other = googleCloudClient({ ...parameters, key, ...by });
  return {
    stack: createGcpStack({ createClient: (options) => googleCloudClient({ ...options, dispatcher }) }),
    credentials,
    parameters,
    externals: () => externals(cloud),
    foreign: (name) => foreign(other, name),
    fail(text) {
      cloud.way = { failing: text };
    },
    answer(text) {
      cloud.way = { answering: text };
    },
    hang() {
      cloud.way = 'hanging';
    },
    loseAnswer: () => cloud.faults.inject({ kind: 'loseResponse', ...creates }),
    ...(opens && { opens: (details) => opens(cloud, details) }),
  };
}

const region = 'us-central1';

/** The labels of a user, with one among them that Google reserves. */
const labels = (requested: Readonly<Record<string, string>>) => ({
  labels: { ...mapValues(requested, (value) => value.replaceAll('.', '_')), 'goog-theirs': 'so' },
});

const sundays = { day: 'SUNDAY', startTime: { hours: 0, minutes: 30 } } as const;

describeConformance({
  managed: CloudMemorystoreInstanceKind,
  forProvider: { region, tier: 'BASIC', memorySizeGb: 1, authEnabled: true },
  another: { region, tier: 'BASIC', memorySizeGb: 2, labels: { team: 'b' } },
  changes: [
    { memorySizeGb: 5 },
    { displayName: 'Sessions', labels: { team: 'a', stage: 'test' } },
    { redisConfigs: { 'maxmemory-policy': 'allkeys-lru' } },
    { authEnabled: false },
    { persistenceConfig: { persistenceMode: 'RDB', rdbSnapshotPeriod: 'SIX_HOURS' } },
    { maintenancePolicy: { weeklyMaintenanceWindow: [sundays] } },
    { redisVersion: 'REDIS_7_2' },
  ],
  refusedChanges: [
    { region: 'europe-west1' },
    { tier: 'STANDARD_HA' },
    { connectMode: 'PRIVATE_SERVICE_ACCESS' },
    { redisVersion: 'REDIS_5_0' },
  ],
  tags: labels,
  details: ['type', 'provider', 'endpoint', 'host', 'port', 'uri', 'password'],
  withoutDetails: [{ change: { authEnabled: false }, keys: ['password'] }],
  open: (given) =>
    world(given, {
      creates: { method: 'POST', path: '/v1/projects/{project}/locations/{location}/instances' },
      externals: (cloud) => cloud.instances.all(),
      foreign: (other, name) =>
        other.memorystore.create({ region, name }, { tier: 'BASIC', memorySizeGb: 9 }),
      opens: (cloud, { host, password }) =>
        cloud.instances.all().some((instance) => instance.host === host && instance.authString === password),
    }),
});

describeConformance({
  managed: TopicKind,
  forProvider: { labels: { team: 'a' }, messageRetentionDuration: '86400s' },
  changes: [
    { labels: { team: 'b' } },
    { messageRetentionDuration: '172800s' },
    { messageStoragePolicy: { allowedPersistenceRegions: ['europe-west1', 'europe-west3'] } },
  ],
  refusedChanges: [{ kmsKeyName: 'projects/p/locations/l/keyRings/r/cryptoKeys/k' }],
  tags: labels,
  open: (given) =>
    world(given, {
      creates: { method: 'PUT', path: '/v1/projects/{project}/topics/{topic}' },
      externals: (cloud) => cloud.topics.all(),
      foreign: (other, name) => other.pubsub.create(name, {}),
    }),
});
