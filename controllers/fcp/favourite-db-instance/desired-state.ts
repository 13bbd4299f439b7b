import type { ConditionFacts } from '../../../apis/core/v1alpha1/condition.ts';
import { available, creating, deleting, unavailable } from '../../../apis/core/v1alpha1/condition.ts';
import type { ConnectionDetails } from '../../../apis/core/v1alpha1/secret.ts';
import type { FavouriteDBInstance } from '../../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import { databaseDetails } from '../../../clients/database-details.ts';
import type { Instance, InstanceChange, NewInstance } from '../../../clients/favourite-cloud.ts';
import { type Owner, ownershipOf, ownerTags } from '../../../clients/ownership-tags.ts';
import { isPasswordMissing, withoutPassword } from '../../cloud/password.ts';
import type { Observation } from '../../core/managed/external-client.ts';

/** The instance a managed resource asks for; initProvider counts here and never again. Throws what is missing. */
export function newInstance(
  managed: FavouriteDBInstance,
  { name, owner, password }: { readonly name: string; readonly owner: Owner; readonly password: string },
): NewInstance {
  const { fancinessLevel, version, networkId, networkIdRef, networkIdSelector } = {
    ...managed.spec.initProvider,
    ...managed.spec.forProvider,
  };
  if (fancinessLevel === undefined) {
    throw new Error('spec.forProvider.fancinessLevel is needed to create an instance');
  }
  if (networkId === undefined && (networkIdRef ?? networkIdSelector) !== undefined) {
    throw new Error('spec.forProvider.networkIdRef and networkIdSelector are not resolved; set networkId');
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
  const fixed = [
    ['version', instance.version, version],
    ['networkId', instance.network_id ?? '', networkId],
  ] as const;
  return {
    change: {
      ...(fancinessLevel === undefined || fancinessLevel === instance.fanciness_level
        ? {}
        : { fanciness_level: fancinessLevel }),
      ...(ownershipOf(instance.tags, owner) === 'ours'
        ? {}
        : { tags: { ...instance.tags, ...ownerTags(owner) } }),
    },
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
  return {
    exists: true,
    // The cloud changes only what is online.
    isUpToDate: instance.status !== 'ONLINE' || differing.length === 0,
    ready: readyOf(managed, instance.status, needsPassword),
    details: detailsOf(instance, known.password),
    status: {
      id: instance.id,
      status: instance.status,
      ...(instance.hostname === undefined ? {} : { hostname: instance.hostname }),
    },
    ...(differing.length === 0 ? {} : { difference: differing.join(', ') }),
  };
}

function readyOf(managed: FavouriteDBInstance, status: string, needsPassword: boolean): ConditionFacts {
  switch (status) {
    case 'ONLINE':
      return needsPassword ? withoutPassword(managed) : available();
    case 'CREATING':
      return creating();
    case 'DELETING':
      return deleting();
    default:
      return unavailable(`the instance is ${status}`);
  }
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
