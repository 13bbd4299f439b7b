import { available, creating, deleting, unavailable } from '../../../apis/core/v1alpha1/condition.ts';
import type { ConnectionDetails } from '../../../apis/core/v1alpha1/secret.ts';
import type { AmbivalentDBInstance } from '../../../apis/ocp/v1alpha1/ambivalent-db-instance.ts';
import { databaseDetails } from '../../../clients/database-details.ts';
import type { Database, DatabaseChange, NewDatabase } from '../../../clients/other-cloud.ts';
import { type Owner, ownerTags, retagged } from '../../../clients/ownership-tags.ts';
import { lateInitialisation } from '../../author/late-initialisation.ts';
import { isPasswordMissing, withoutPassword } from '../../author/password.ts';
import type { Observation } from '../../core/managed/external-client.ts';

/** The database a managed resource asks for; initProvider counts here and never again. Throws what is missing. */
export function newDatabase(
  managed: AmbivalentDBInstance,
  { name, owner, password }: { readonly name: string; readonly owner: Owner; readonly password: string },
): NewDatabase {
  const { ambivalence, engineVersion } = { ...managed.spec.initProvider, ...managed.spec.forProvider };
  if (ambivalence === undefined) {
    throw new Error('spec.forProvider.ambivalence is needed to create a database');
  }
  return {
    databaseName: name,
    ambivalence,
    adminPassword: password,
    labels: ownerTags(owner),
    ...(engineVersion === undefined ? {} : { engineVersion }),
  };
}

/** What to change about a database that is ours, and what would have to change but cannot. */
export interface Difference {
  /** Without the password, which is not invented here. */
  readonly change: DatabaseChange;
  readonly needsPassword: boolean;
  /** Fields of forProvider that are immutable in the cloud, with what they are and should be. */
  readonly immutable: readonly string[];
}

/** Compares a database with what is wanted of it. Fields that forProvider leaves out are as the cloud likes. */
export function differenceOf(
  managed: AmbivalentDBInstance,
  database: Database,
  known: ConnectionDetails,
  owner: Owner,
): Difference {
  const { ambivalence, engineVersion } = managed.spec.forProvider;
  const change = ambivalence === undefined || ambivalence === database.ambivalence ? {} : { ambivalence };
  const labels = retagged(database.labels, owner, Object.keys(change).length > 0);
  return {
    change: { ...change, ...(labels && { labels }) },
    needsPassword: isPasswordMissing(managed, known),
    immutable:
      engineVersion === undefined || engineVersion === database.engineVersion
        ? []
        : [`spec.forProvider.engineVersion from "${database.engineVersion}" to "${engineVersion}"`],
  };
}

/** What to report about a database that may be observed. */
export function observationOf(
  managed: AmbivalentDBInstance,
  database: Database,
  known: ConnectionDetails,
  owner: Owner,
): Observation {
  const { change, needsPassword, immutable } = differenceOf(managed, database, known, owner);
  const differing = [...Object.keys(change), ...(needsPassword ? ['password'] : []), ...immutable];
  const { endpoint, state, uuid } = database;
  return {
    exists: true,
    // The cloud changes only what is available.
    isUpToDate: state !== 'Available' || differing.length === 0,
    ...meaningOf(managed, state, needsPassword),
    ...lateInitialisation(managed, {
      ambivalence: database.ambivalence,
      engineVersion: database.engineVersion,
    }),
    details: detailsOf(database, known.password),
    status: {
      uuid,
      state,
      ...(endpoint === null ? {} : { endpoint: `${endpoint.host}:${endpoint.port}` }),
    },
    ...(differing.length === 0 ? {} : { difference: differing.join(', ') }),
  };
}

function meaningOf(
  managed: AmbivalentDBInstance,
  state: string,
  needsPassword: boolean,
): Pick<Observation, 'ready' | 'operation'> {
  switch (state) {
    case 'Available':
      return { ready: needsPassword ? withoutPassword(managed) : available() };
    case 'Provisioning':
      return { ready: creating(), operation: 'create' };
    case 'Terminating':
      return { ready: deleting(), operation: 'delete' };
    default:
      return { ready: unavailable(`the database is ${state}`) };
  }
}

/** The connection details of a database; none before it can be reached, but for the password. */
export function detailsOf(
  { databaseName, endpoint, adminUser }: Database,
  password: string | undefined,
): ConnectionDetails {
  if (endpoint === null) return password === undefined ? {} : { password };
  const access = { type: 'fancysql', provider: 'other-cloud', ...endpoint, username: adminUser };
  return databaseDetails({ ...access, database: databaseName, password });
}
