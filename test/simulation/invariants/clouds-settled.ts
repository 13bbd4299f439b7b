import isEqual from 'lodash/isEqual.js';
import isMatch from 'lodash/isMatch.js';
import type { KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { controllerUid } from '../../../apis/core/v1alpha1/reference.ts';
import { decodeDetails, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import type { InvariantOf, ObservedWorld } from '../invariant.ts';
import { isUsual, managedKinds } from '../kinds.ts';
import type { CloudResource } from '../oracle/cloud-resources.ts';
import { resourcesIn } from '../oracle/cloud-resources.ts';
import { isLedAsBefore } from '../oracle/leads-as-before.ts';
import { whereIs } from '../oracle/outside-resources.ts';
import { allows, isPaused } from '../oracle/policies.ts';
import { recordedName } from '../oracle/recorded-name.ts';

const cloudManagedKinds = managedKinds.filter((kind) => !isUsual(kind));

/** The names of the fields of a cloud resource in `forProvider`. */
type Reported = (item: never) => Readonly<Record<string, unknown>>;

interface Queue {
  readonly attributes: Readonly<Record<string, string>>;
}
interface Vpc {
  readonly attributes: Readonly<Record<string, boolean>>;
}
interface DBInstance {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly pending: Readonly<Record<string, unknown>>;
}
interface Fields {
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A value that may be waiting for the maintenance window counts as changed. */
const dbInstanceValues = ({ settings, pending }: DBInstance): Readonly<Record<string, unknown>> => {
  const { AllocatedStorage, BackupRetentionPeriod } = { ...settings, ...pending };
  return { allocatedStorage: AllocatedStorage, backupRetentionPeriod: BackupRetentionPeriod };
};

const reported: Readonly<Record<string, Reported>> = {
  'ec2/vpc': ({ attributes }: Vpc) => attributes,
  'ec2/subnet': ({ mapPublicIpOnLaunch }: { mapPublicIpOnLaunch: boolean }) => ({ mapPublicIpOnLaunch }),
  'ec2/instance': ({ instanceType }: { instanceType: string }) => ({ instanceType }),
  'rds/db-instance': dbInstanceValues,
  'sqs/queue': ({ attributes }: Queue) => ({
    delaySeconds: Number(attributes.DelaySeconds),
    visibilityTimeout: Number(attributes.VisibilityTimeout),
  }),
  'eks/node-group': ({ scalingConfig, labels }: { scalingConfig: object; labels: object }) => ({
    scalingConfig: [scalingConfig],
    labels,
  }),
  'gcp/instances': ({ fields: { memorySizeGb, redisVersion, authEnabled } }: Fields) => ({
    memorySizeGb,
    redisVersion,
    authEnabled: authEnabled ?? false,
  }),
  'gcp/topics': ({ fields: { messageRetentionDuration } }: Fields) => ({ messageRetentionDuration }),
};

const conditionOf = ({ status }: Managed, type: string) =>
  status?.conditions?.find((each) => each.type === type);

const isTrue = (managed: Managed): boolean =>
  ['Ready', 'Synced'].every((type) => conditionOf(managed, type)?.status === 'True');

/** Faults that end without an action, once trouble is over. */
const passing =
  /\b50[0234]\b|Unavailable|InternalError|InternalFailure|\bECONN|UND_ERR|connection (?:refused|reset|lost|before)|did not answer|gateway/i;

/** Lists of keys and values, as provider-aws has them, or an object. */
function tagsOf(managed: Managed): Readonly<Record<string, string>> {
  const { tags, labels } = managed.spec.forProvider as {
    readonly tags?: readonly { readonly key: string; readonly value: string }[] | Record<string, string>;
    readonly labels?: Readonly<Record<string, string>>;
  };
  if (Array.isArray(tags)) return Object.fromEntries(tags.map(({ key, value }) => [key, value]));
  const isOfGoogle = whereIs({ kind: managed.kind, group: managed.apiVersion.split('/')[0] ?? '' });
  return { ...(tags as Record<string, string>), ...(isOfGoogle.system === 'gcp' ? labels : {}) };
}

/** Whether something has what is asked for: of an object no less than that. */
const has = (is: unknown, desired: unknown): boolean =>
  isEqual(is, desired) ||
  (typeof is === 'object' && is !== null && typeof desired === 'object' && desired !== null
    ? isMatch(is, desired)
    : false);

function faultsOf(
  managed: Managed,
  resource: CloudResource | undefined,
  world: Pick<ObservedWorld, 'cluster' | 'scenario'>,
): readonly string[] {
  const synced = conditionOf(managed, 'Synced');
  const { cluster } = world;
  const isOfCloud = synced?.status === 'False' && passing.test(synced.message ?? '');
  if (isOfCloud && isLedAsBefore(world, managed)) {
    return [`Synced is False for what has passed: ${synced.message}`];
  }
  if (!isTrue(managed)) return [];
  if (resource === undefined || resource.isGoing) return ['it says that it is Ready, and is not there'];
  const to = managed.spec.writeConnectionSecretToRef;
  const found = to && (cluster.find(SecretKind, to) as KubernetesObject | undefined);
  const isOwn = found !== undefined && controllerUid(found) === managed.metadata.uid;
  const { password } = isOwn ? decodeDetails(found) : {};
  const isWrong = password !== undefined && password !== (resource.password ?? password);
  const desired = (managed.spec.forProvider ?? {}) as Readonly<Record<string, unknown>>;
  const is = allows(managed, 'Update') ? (reported[resource.sort]?.(resource.item as never) ?? {}) : {};
  return [
    ...(isWrong ? ['the password that is published opens nothing'] : []),
    ...Object.entries(is)
      .filter(([key, value]) => desired[key] !== undefined && !has(value, desired[key]))
      .map(([key, value]) => `${key} is ${JSON.stringify(value)}, and not ${JSON.stringify(desired[key])}`),
    ...(allows(managed, 'Update') && !isMatch(resource.tags, tagsOf(managed))
      ? [`it has the tags ${JSON.stringify(resource.tags)}, and not ${JSON.stringify(tagsOf(managed))}`]
      : []),
  ];
}

/**
 * For AWS and Google Cloud: a resource that is Ready and Synced has the state of its cloud, and past faults
 * are not reported any more.
 */
export const cloudsSettled: InvariantOf = (world) => ({
  name: 'a resource in AWS or Google Cloud that is Ready and Synced has the requested state',
  atRest() {
    const resources = resourcesIn(world);
    return cloudManagedKinds.flatMap((kind) =>
      (world.cluster.all(kind) as unknown as readonly Managed[])
        .filter((managed) => managed.metadata.deletionTimestamp === undefined && !isPaused(managed))
        .flatMap((managed) => {
          const { sort } = whereIs(kind);
          const name = recordedName(managed);
          const { region } = managed.spec.forProvider as { readonly region?: string };
          const resource = resources.find(
            (each) =>
              each.sort === sort && each.name === name && (each.region ?? region) === (region ?? each.region),
          );
          return faultsOf(managed, resource, world).map(
            (fault) => `${kind.kind} ${managed.metadata.name}: ${fault}`,
          );
        }),
    );
  },
});
