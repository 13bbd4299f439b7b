import type { RedisCluster } from '../../../apis/cache/v1alpha1/redis-cluster.ts';
import type {
  CloudMemorystoreInstance,
  CloudMemorystoreInstanceClass,
} from '../../../apis/gcp/cache/v1beta1/cloud-memorystore-instance.ts';

/** What a claim gets from a class: all that the class says, and the version. Throws if the two do not agree on it. */
export function configureCloudMemorystoreInstance(
  { spec: { engineVersion } }: RedisCluster,
  { kind, metadata: { name }, specTemplate: { forProvider } }: CloudMemorystoreInstanceClass,
): Pick<CloudMemorystoreInstance['spec'], 'forProvider'> {
  const asked = engineVersion === undefined ? undefined : redisVersionOf(engineVersion);
  const given = forProvider.redisVersion;
  if (asked !== undefined && given !== undefined && asked !== given) {
    throw new Error(
      `${kind} ${name} has redisVersion "${given}", but the claim's spec.engineVersion is "${engineVersion}"`,
    );
  }
  const redisVersion = given ?? asked;
  return { forProvider: { ...forProvider, ...(redisVersion !== undefined && { redisVersion }) } };
}

/** What Memorystore calls a version of Redis: `REDIS_5_0` for 5.0. All of 6 is one to it: `REDIS_6_X`. */
export function redisVersionOf(engineVersion: string): string {
  const [major, minor] = engineVersion.split('.');
  return `REDIS_${major}_${major === '6' ? 'X' : minor?.toUpperCase()}`;
}
