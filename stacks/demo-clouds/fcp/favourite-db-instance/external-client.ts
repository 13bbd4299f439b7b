import type { ExternalClient, NamedByUs, ObservedDatabase } from '../../../../package/stack.ts';
import { comparison, meaningOf, namedByUs, withNeeded } from '../../../../package/stack.ts';
import type {
  FavouriteCloudClient,
  Instance,
  InstanceChange,
  NewInstance,
} from '../../client/favourite-cloud.ts';
import { favouriteCloudStates as cloudStates } from '../../client/favourite-cloud.ts';
import type { FavouriteDBInstance } from '../../kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { FavouriteDBInstanceKind } from '../../kinds/fcp/v1alpha3/favourite-db-instance.ts';

type Adapter = NamedByUs<FavouriteDBInstance, Instance, NewInstance, InstanceChange>;

const compare = comparison(FavouriteDBInstanceKind, {
  // An instance without a network may join one, for example when an optional reference is resolved late.
  networkId: { mayChange: (joined) => joined === undefined },
});

/** FavouriteDB instances in Favourite Cloud. */
export const favouriteDBInstanceClient = ({
  instances,
}: Pick<FavouriteCloudClient, 'instances'>): ExternalClient<FavouriteDBInstance> =>
  namedByUs<FavouriteDBInstance, Instance, NewInstance, InstanceChange>({
    databases: instances,
    noun: 'instance',
    newDatabase: newInstance,
    observed: observedInstance,
    compare,
    change: ({ fancinessLevel, networkId }) => ({
      ...(fancinessLevel !== undefined && { fanciness_level: fancinessLevel }),
      ...(networkId !== undefined && { network_id: networkId }),
    }),
    retag: (tags) => ({ tags }),
    setPassword: (password) => ({ password }),
  });

const newInstance: Adapter['newDatabase'] = (managed, { name, tags, password }) => {
  const { fancinessLevel, version, networkId } = withNeeded(managed, 'instance', ['fancinessLevel']);
  return {
    name,
    fanciness_level: fancinessLevel,
    password,
    tags,
    ...(version !== undefined && { version }),
    ...(networkId !== undefined && { network_id: networkId }),
  };
};

function observedInstance(
  { status }: FavouriteDBInstance,
  instance: Instance,
): ObservedDatabase<FavouriteDBInstance> {
  const { id, hostname: host, port, username, database } = instance;
  const isReachable =
    host !== undefined && port !== undefined && username !== undefined && database !== undefined;
  return {
    tags: instance.tags,
    isKnown: status?.id === id,
    isOnline: instance.status === cloudStates.online,
    meaning: meaningOf(instance.status, cloudStates, 'instance'),
    actual: {
      fancinessLevel: instance.fanciness_level,
      version: instance.version,
      networkId: instance.network_id,
    },
    access: isReachable
      ? { type: 'fancysql', provider: 'favourite-cloud', host, port, username, database }
      : undefined,
    status: { id, status: instance.status, ...(host !== undefined && { hostname: host }) },
  };
}
