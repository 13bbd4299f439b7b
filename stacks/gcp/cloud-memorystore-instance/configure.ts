import type { RedisCluster } from '../../../package/claims.ts';
import { contradiction } from '../../../package/stack.ts';
import type {
  CloudMemorystoreInstance,
  CloudMemorystoreInstanceClass,
} from '../kinds/cache/v1beta1/cloud-memorystore-instance.ts';

type Configured = Pick<CloudMemorystoreInstance['spec'], 'forProvider'>;

/** The reason why an instance, or a class, is incompatible with a claim: it has another version. */
export const incompatibilityOfCloudMemorystoreInstance = (
  { spec: { engineVersion: requested } }: RedisCluster,
  { redisVersion }: Partial<Configured['forProvider']>,
): string | undefined =>
  contradiction(
    ['redisVersion', redisVersion],
    ['engineVersion', requested],
    (given, version) => given === redisVersionOf(version),
  );

/** The parameters of a claim's resource: those of the class, with the claim's version if the class names none. */
export function configureCloudMemorystoreInstance(
  { spec: { engineVersion } }: RedisCluster,
  { specTemplate: { forProvider } }: CloudMemorystoreInstanceClass,
): Configured {
  const requested = engineVersion === undefined ? undefined : redisVersionOf(engineVersion);
  const { redisVersion = requested } = forProvider;
  return { forProvider: { ...forProvider, ...(redisVersion !== undefined && { redisVersion }) } };
}

/** Memorystore's name of a Redis version: `REDIS_5_0` for 5.0. All versions 6 have one name: `REDIS_6_X`. */
function redisVersionOf(engineVersion: string): string {
  const [major, minor] = engineVersion.split('.');
  return `REDIS_${major}_${major === '6' ? 'X' : minor?.toUpperCase()}`;
}
