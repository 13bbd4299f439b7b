import type { CloudStates, ExternalClient, NamedByUs, ObservedDatabase } from '../../../../package/stack.ts';
import { comparison, meaningOf, namedByUs, withNeeded } from '../../../../package/stack.ts';
import type { Database, DatabaseChange, NewDatabase, OtherCloudClient } from '../../client/other-cloud.ts';
import type { AmbivalentDBInstance } from '../../kinds/ocp/v1alpha1/ambivalent-db-instance.ts';
import { AmbivalentDBInstanceKind } from '../../kinds/ocp/v1alpha1/ambivalent-db-instance.ts';

type Adapter = NamedByUs<AmbivalentDBInstance, Database, NewDatabase, DatabaseChange>;

const compare = comparison(AmbivalentDBInstanceKind);

/** The names of states in Other Cloud. */
const cloudStates: CloudStates = { creating: 'Provisioning', online: 'Available', deleting: 'Terminating' };

/** AmbivalentDB databases in Other Cloud. */
export const ambivalentDBInstanceClient = ({
  databases,
}: OtherCloudClient): ExternalClient<AmbivalentDBInstance> =>
  namedByUs<AmbivalentDBInstance, Database, NewDatabase, DatabaseChange>({
    databases,
    noun: 'database',
    newDatabase,
    observed: observedDatabase,
    compare,
    change: ({ ambivalence }) => (ambivalence === undefined ? {} : { ambivalence }),
    retag: (labels) => ({ labels }),
    setPassword: (adminPassword) => ({ adminPassword }),
  });

const newDatabase: Adapter['newDatabase'] = (managed, { name, tags, password }) => {
  const { ambivalence, engineVersion } = withNeeded(managed, 'database', ['ambivalence']);
  return {
    databaseName: name,
    ambivalence,
    adminPassword: password,
    labels: tags,
    ...(engineVersion !== undefined && { engineVersion }),
  };
};

function observedDatabase(
  { status }: AmbivalentDBInstance,
  database: Database,
): ObservedDatabase<AmbivalentDBInstance> {
  const { uuid, databaseName, labels, state, endpoint, adminUser: username } = database;
  return {
    tags: labels,
    isKnown: status?.uuid === uuid,
    isOnline: state === cloudStates.online,
    meaning: meaningOf(state, cloudStates, 'database'),
    actual: { ambivalence: database.ambivalence, engineVersion: database.engineVersion },
    access:
      endpoint === null
        ? undefined
        : { type: 'fancysql', provider: 'other-cloud', ...endpoint, username, database: databaseName },
    status: { uuid, state, ...(endpoint !== null && { endpoint: `${endpoint.host}:${endpoint.port}` }) },
  };
}
