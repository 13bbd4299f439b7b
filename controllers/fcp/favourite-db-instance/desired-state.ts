import type { ConnectionDetails } from '../../../apis/core/v1alpha1/secret.ts';
import type { FavouriteDBInstance } from '../../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import { databaseDetails } from '../../../clients/database-details.ts';
import type { Instance, InstanceChange, NewInstance } from '../../../clients/favourite-cloud.ts';
import { type Owner, ownerTags, retagged } from '../../../clients/ownership-tags.ts';
import { lateInitialisation } from '../../author/late-initialisation.ts';
import { isPasswordMissing, withoutPassword } from '../../author/password.ts';
import type { Observation } from '../../core/managed/external-client.ts';
import { meaningOf } from '../status.ts';

/** The instance a managed resource asks for; initProvider counts here and never again. Throws what is missing. */
export function newInstance(
  managed: FavouriteDBInstance,
  { name, owner, password }: { readonly name: string; readonly owner: Owner; readonly password: string },
): NewInstance {
  const { initProvider, forProvider } = managed.spec;
  const { fancinessLevel, version, networkId } = { ...initProvider, ...forProvider };
  if (fancinessLevel === undefined) {
    throw new Error('spec.forProvider.fancinessLevel is needed to create an instance');
  }
  // Those of forProvider are resolved by now, or optional.
  if (networkId === undefined && (initProvider?.networkIdRef ?? initProvider?.networkIdSelector)) {
    throw new Error(
      'references in spec.initProvider are not resolved; set networkId there, or refer in spec.forProvider',
    );
  }
  return {
    name,
    fanciness_level: fancinessLevel,
    password,
    tags: ownerTags(owner),
    ...(version === undefined ? {} : { version }),
    ...(networkId === undefined ? {} : { network_id: networkId }),
  };
}

/** What to change about an instance that is ours, and what would have to change but cannot. */
export interface Difference {
  /** Without the password, which is not invented here. */
  readonly change: InstanceChange;
  readonly needsPassword: boolean;
  /** Fields of forProvider that are immutable in the cloud, with what they are and should be. */
  readonly immutable: readonly string[];
}

/** Compares an instance with what is wanted of it. Fields that forProvider leaves out are as the cloud likes. */
export function differenceOf(
  managed: FavouriteDBInstance,
  instance: Instance,
  known: ConnectionDetails,
  owner: Owner,
): Difference {
  const { fancinessLevel, version, networkId } = managed.spec.forProvider;
  const { network_id: joined } = instance;
  const fixed = [
    ['version', instance.version, version],
    ['networkId', joined, joined === undefined ? undefined : networkId],
  ] as const;
  const change = {
    ...(fancinessLevel === undefined || fancinessLevel === instance.fanciness_level
      ? {}
      : { fanciness_level: fancinessLevel }),
    // An instance without a network may join one, as when an optional reference is resolved late.
    ...(networkId === undefined || joined !== undefined ? {} : { network_id: networkId }),
  };
  const tags = retagged(instance.tags, owner, Object.keys(change).length > 0);
  return {
    change: { ...change, ...(tags && { tags }) },
    needsPassword: isPasswordMissing(managed, known),
    immutable: fixed.flatMap(([field, is, wanted]) =>
      wanted === undefined || wanted === is ? [] : [`spec.forProvider.${field} from "${is}" to "${wanted}"`],
    ),
  };
}

/** What to report about an instance that may be observed. */
export function observationOf(
  managed: FavouriteDBInstance,
  instance: Instance,
  known: ConnectionDetails,
  owner: Owner,
): Observation {
  const { change, needsPassword, immutable } = differenceOf(managed, instance, known, owner);
  const differing = [...Object.keys(change), ...(needsPassword ? ['password'] : []), ...immutable];
  const isOnline = instance.status === 'ONLINE';
  return {
    exists: true,
    // The cloud changes only what is online.
    isUpToDate: !isOnline || differing.length === 0,
    ...meaningOf(instance.status, 'instance'),
    ...(isOnline && needsPassword ? { ready: withoutPassword(managed) } : {}),
    ...lateInitialisation(managed, valuesOf(managed, instance)),
    details: detailsOf(instance, known.password),
    status: {
      id: instance.id,
      status: instance.status,
      ...(instance.hostname === undefined ? {} : { hostname: instance.hostname }),
    },
    ...(differing.length === 0 ? {} : { difference: differing.join(', ') }),
  };
}

/** What the cloud has for the fields of forProvider. A field with a reference takes its value from there alone. */
function valuesOf({ spec }: FavouriteDBInstance, instance: Instance) {
  const { networkIdRef, networkIdSelector } = { ...spec.initProvider, ...spec.forProvider };
  const isReferred = networkIdRef !== undefined || networkIdSelector !== undefined;
  return {
    fancinessLevel: instance.fanciness_level,
    version: instance.version,
    networkId: isReferred ? undefined : instance.network_id,
  };
}

/** The connection details of an instance; none before it can be reached, but for the password. */
export function detailsOf(instance: Instance, password: string | undefined): ConnectionDetails {
  const { hostname: host, port, username, database } = instance;
  if (host === undefined || port === undefined || username === undefined || database === undefined) {
    return password === undefined ? {} : { password };
  }
  const access = { type: 'fancysql', provider: 'favourite-cloud', host, port, username, database };
  return databaseDetails({ ...access, password });
}
