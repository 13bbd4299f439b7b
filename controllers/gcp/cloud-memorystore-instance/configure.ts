import type { RedisCluster } from '../../../apis/cache/v1alpha1/redis-cluster.ts';
import type {
  CloudMemorystoreInstance,
  CloudMemorystoreInstanceClass,
} from '../../../apis/gcp/cache/v1beta1/cloud-memorystore-instance.ts';
import { contradiction } from '../../author/contradiction.ts';

type Configured = Pick<CloudMemorystoreInstance['spec'], 'forProvider'>;

/** Why an instance, or one of a class, is none for a claim: its version is another one. */
export const misfitOfCloudMemorystoreInstance = (
  { spec: { engineVersion: asked } }: RedisCluster,
  { redisVersion }: Partial<Configured['forProvider']>,
): string | undefined =>
  contradiction(
    ['redisVersion', redisVersion],
    ['engineVersion', asked],
    (given, version) => given === redisVersionOf(version),
  );

/** What a claim gets from a class: all that the class says, and the version where it leaves that open. */
export function configureCloudMemorystoreInstance(
  { spec: { engineVersion } }: RedisCluster,
  { specTemplate: { forProvider } }: CloudMemorystoreInstanceClass,
): Configured {
  const asked = engineVersion === undefined ? undefined : redisVersionOf(engineVersion);
  const { redisVersion = asked } = forProvider;
  return { forProvider: { ...forProvider, ...(redisVersion !== undefined && { redisVersion }) } };
}

/** What Memorystore calls a version of Redis: `REDIS_5_0` for 5.0. All of 6 is one to it: `REDIS_6_X`. */
export function redisVersionOf(engineVersion: string): string {
  const [major, minor] = engineVersion.split('.');
  return `REDIS_${major}_${major === '6' ? 'X' : minor?.toUpperCase()}`;
}
