import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import type { ConnectionDetails } from '../../../apis/core/v1alpha1/secret.ts';
import type { PostgreSQLDatabase } from '../../../apis/postgresql/v1alpha1/postgresql-database.ts';
import type { PostgreSQLGrant } from '../../../apis/postgresql/v1alpha1/postgresql-grant.ts';
import type { PostgreSQLRole } from '../../../apis/postgresql/v1alpha1/postgresql-role.ts';
import { generatePassword } from '../../../clients/generate-password.ts';
import type { ServerDatabases } from '../../../clients/postgresql/credentials.ts';
import type { ExternalClient, Observation } from '../../../controllers/core/managed/external-client.ts';
import { createPasswordChecks } from '../../../controllers/postgresql/password-checks.ts';
import { postgreSQLDatabaseClient } from '../../../controllers/postgresql/postgresql-database/external-client.ts';
import { postgreSQLGrantClient } from '../../../controllers/postgresql/postgresql-grant/external-client.ts';
import type { RivalFinder } from '../../../controllers/postgresql/postgresql-grant/rival.ts';
import { postgreSQLRoleClient } from '../../../controllers/postgresql/postgresql-role/external-client.ts';
import { closing } from '../../../controllers/postgresql/server-closing.ts';
import type { PostgresqlOptions } from '../../../local/postgresql.ts';
import type { EventFacts } from '../../../runtime/events/event-facts.ts';
import { testClock } from '../../fakes/test-clock.ts';
import { postgresqlFixture } from '../clients/fixture.ts';

const apiVersion = 'postgresql.crossplane.io/v1alpha1';

interface Given<S> {
  /** Default: the object's name. */
  readonly externalName?: string;
  readonly spec?: Partial<S>;
  /** Default: a secret is wanted. */
  readonly isSecretWanted?: boolean;
}

function object<M extends Managed>(
  kind: string,
  name: string,
  forProvider: M['spec']['forProvider'],
  { externalName = name, spec, isSecretWanted = true }: Given<M['spec']> = {},
): M {
  return {
    apiVersion,
    kind,
    metadata: { name, annotations: { [annotationKeys.externalName]: externalName } },
    spec: {
      ...(isSecretWanted ? { writeConnectionSecretToRef: { namespace: 'secrets', name } } : {}),
      forProvider,
      ...spec,
    },
  } as unknown as M;
}

export const database = (
  name: string,
  forProvider: PostgreSQLDatabase['spec']['forProvider'] = {},
  given?: Given<PostgreSQLDatabase['spec']>,
): PostgreSQLDatabase => object<PostgreSQLDatabase>('PostgreSQLDatabase', name, forProvider, given);

export const role = (
  name: string,
  forProvider: PostgreSQLRole['spec']['forProvider'] = { login: true },
  given?: Given<PostgreSQLRole['spec']>,
): PostgreSQLRole => object<PostgreSQLRole>('PostgreSQLRole', name, forProvider, given);

export const grant = (
  name: string,
  forProvider: PostgreSQLGrant['spec']['forProvider'],
  given?: Given<PostgreSQLGrant['spec']>,
): PostgreSQLGrant => object<PostgreSQLGrant>('PostgreSQLGrant', name, forProvider, given);

/** The object with other parameters. */
export const edited = <M extends Managed>(managed: M, forProvider: Partial<M['spec']['forProvider']>): M => ({
  ...managed,
  spec: { ...managed.spec, forProvider: { ...managed.spec.forProvider, ...forProvider } },
});

/** The object as one that somebody has deleted. */
export const deleted = <M extends Managed>(managed: M): M => ({
  ...managed,
  metadata: { ...managed.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
});

/** What a managed resource and its connection secret hold after a pass. */
export interface State<M extends Managed> {
  readonly managed: M;
  readonly known: ConnectionDetails;
  readonly observed: Observation;
  readonly acted: 'create' | 'update' | undefined;
}

const never = new AbortController().signal;

/** An administrator who is not the superuser. */
interface Admin {
  readonly username: string;
  readonly password: string;
  /** As in CREATE ROLE. */
  readonly attributes: string;
}

/** A real server, and passes over managed resources as the managed reconciler makes them. */
export async function stackFixture({
  admin,
  serverDatabases = 'leave',
  ...options
}: PostgresqlOptions & { readonly admin?: Admin; readonly serverDatabases?: ServerDatabases } = {}) {
  const postgresql = await postgresqlFixture(options);
  if (admin !== undefined) {
    await postgresql.sql(
      `CREATE ROLE ${admin.username} ${admin.attributes} LOGIN PASSWORD '${admin.password}'`,
    );
  }
  const credentials = {
    ...postgresql.credentials,
    ...(admin && { username: admin.username, password: admin.password }),
  };
  const server = postgresql.server({ credentials });
  const clock = testClock();
  const checks = createPasswordChecks({ clock, random: () => 0.5 });
  /** What an administrator would be told of the server. */
  const told: EventFacts[] = [];
  const tell = (event: EventFacts) => void told.push(event);
  const prepare = closing({ server, credentials: { ...credentials, serverDatabases }, tell });
  const common = { server, credentials, prepare, checks, generatePassword };
  /** A client is made for every pass. */
  const clients: Record<string, (rivalOf: RivalFinder) => ExternalClient<never>> = {
    PostgreSQLDatabase: () => postgreSQLDatabaseClient(common),
    PostgreSQLRole: () => postgreSQLRoleClient(common),
    PostgreSQLGrant: (rivalOf) => postgreSQLGrantClient({ server, rivalOf }),
  };

  return {
    ...postgresql,
    server,
    clock,
    told,
    clientOf: <M extends Managed>({ kind }: M, rivalOf: RivalFinder = () => undefined): ExternalClient<M> =>
      clients[kind]!(rivalOf) as unknown as ExternalClient<M>,
    /** Observes, creates or updates as needed, and observes again. */
    async pass<M extends Managed>(
      managed: M,
      known: ConnectionDetails = {},
      rivalOf: RivalFinder = () => undefined,
    ): Promise<State<M>> {
      const client = this.clientOf(managed, rivalOf);
      let observed = await client.observe(managed, known, never);
      let acted: State<M>['acted'];
      let details = { ...known, ...observed.details };
      if (!observed.exists || !observed.isUpToDate) {
        acted = observed.exists ? 'update' : 'create';
        const result = await client[acted](managed, details, never);
        details = { ...details, ...result.details };
        observed = await client.observe(managed, details, never);
        details = { ...details, ...observed.details };
      }
      const status = { ...managed.status, ...observed.status } as M['status'];
      return { managed: { ...managed, status }, known: details, observed, acted };
    },
    /** Deletes what a managed resource stands for, and says whether anything is left. */
    async remove<M extends Managed>(managed: M, rivalOf: RivalFinder = () => undefined): Promise<boolean> {
      const client = this.clientOf(managed, rivalOf);
      const gone = deleted(managed);
      if (!(await client.observe(gone, {}, never)).exists) return false;
      await client.delete(gone, never);
      return (await client.observe(gone, {}, never)).exists;
    },
    /** All databases and roles of a name. */
    async namesake(name: string) {
      const rows = await postgresql.sql<{ kind: string }>(
        `SELECT 'database' AS kind FROM pg_database WHERE datname = '${name}'
         UNION ALL SELECT 'role' FROM pg_roles WHERE rolname = '${name}' ORDER BY kind`,
      );
      return rows.map(({ kind }) => kind);
    },
  };
}

/** A login with what a connection secret holds. */
export const loginOf = ({ username, password, database: name }: ConnectionDetails) => ({
  user: username ?? '',
  password: password ?? '',
  ...(name === undefined ? {} : { database: name }),
});
