import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { wantsDetails } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import type { ConnectionDetails, ReportedDetails } from '../../../apis/core/v1alpha1/secret.ts';
import { createPasswordChecks } from '../../../controllers/author/password-checks.ts';
import { generateCredential, generatedPassword } from '../../../controllers/credential.ts';
import type {
  Created,
  DesiredCredential,
  ExternalClient,
  Observation,
} from '../../../controllers/managed/connecting/external-client.ts';
import { shouldCreate, shouldUpdate } from '../../../controllers/management-policies.ts';
import type { RivalFinder } from '../../../package/stack.ts';
import type { EventFacts } from '../../../runtime/events/event-facts.ts';
import type { Credentials } from '../../../stacks/postgresql/client/credentials.ts';
import type { HolderOf } from '../../../stacks/postgresql/client/mark.ts';
import type { PostgresqlServer } from '../../../stacks/postgresql/client/server.ts';
import type { PostgreSQLDatabase } from '../../../stacks/postgresql/kinds/v1alpha1/postgresql-database.ts';
import type { PostgreSQLGrant } from '../../../stacks/postgresql/kinds/v1alpha1/postgresql-grant.ts';
import type { PostgreSQLRole } from '../../../stacks/postgresql/kinds/v1alpha1/postgresql-role.ts';
import { databaseCredential } from '../../../stacks/postgresql/postgresql-database/desired-state.ts';
import { postgreSQLDatabaseClient } from '../../../stacks/postgresql/postgresql-database/external-client.ts';
import { postgreSQLGrantClient } from '../../../stacks/postgresql/postgresql-grant/external-client.ts';
import { roleCredential } from '../../../stacks/postgresql/postgresql-role/desired-state.ts';
import { postgreSQLRoleClient } from '../../../stacks/postgresql/postgresql-role/external-client.ts';
import { closing } from '../../../stacks/postgresql/server-closing.ts';
import type { TestClock } from '../../../testing/test-clock.ts';

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

/** The object as it is after a user deleted it. */
export const deleted = <M extends Managed>(managed: M): M => ({
  ...managed,
  metadata: { ...managed.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
});

/**
 * The content of a managed resource and its connection Secret after a run. The record in the status is the
 * credential itself.
 */
export interface State<M extends Managed> {
  readonly managed: M;
  readonly known: ConnectionDetails;
  readonly observed: Observation;
  readonly acted: 'create' | 'update' | undefined;
}

const never = new AbortController().signal;

/** The credential of a managed resource: that of its secret, else a new one. Undefined: it has none. */
function credentialOf(managed: Managed, { password }: ConnectionDetails): DesiredCredential | undefined {
  const { kind, spec, status } = managed;
  const isWanted =
    kind === 'PostgreSQLDatabase'
      ? databaseCredential.isWanted?.(managed as PostgreSQLDatabase)
      : kind === 'PostgreSQLRole' && roleCredential.isWanted?.(managed as PostgreSQLRole);
  if (!isWanted || !wantsDetails(managed) || !(shouldCreate(spec) || shouldUpdate(spec))) return undefined;
  const value = password ?? generateCredential(generatedPassword);
  return { value, isApplied: value === status?.credential?.hmac };
}

/** The details, and what was reported since. */
const withReported = (known: ConnectionDetails, reported: ReportedDetails = {}): ConnectionDetails =>
  Object.fromEntries(
    Object.entries({ ...known, ...reported }).flatMap(([key, value]) =>
      value === null ? [] : [[key, value]],
    ),
  );

export interface PassesOptions {
  readonly server: PostgresqlServer;
  readonly credentials: Credentials;
  readonly clock: TestClock;
  /** Default: no role is that of a known resource. */
  readonly holderOf?: HolderOf;
  /** As of a grant's references; default: none is lost. */
  readonly lostReferences?: () => string | undefined;
}

/** Passes over managed resources as the managed reconciler makes them, on a server that is real or in memory. */
export function passesOn({
  server,
  credentials,
  clock,
  holderOf = () => undefined,
  lostReferences = () => undefined,
}: PassesOptions) {
  const checks = createPasswordChecks({ clock, random: () => 0.5 });
  /** The report about the server for an administrator. */
  const reported: EventFacts[] = [];
  const report = (event: EventFacts) => void reported.push(event);
  const survey = closing({ server, credentials, report, clock });
  const common = { server, credentials, survey, checks, holderOf };
  /** A client is made for every pass. */
  const clients: Record<string, (rivalOf: RivalFinder<PostgreSQLGrant>) => ExternalClient> = {
    PostgreSQLDatabase: () => postgreSQLDatabaseClient(common),
    PostgreSQLRole: () => postgreSQLRoleClient(common),
    PostgreSQLGrant: (rivalOf) => postgreSQLGrantClient({ server, rivalOf, lostReferences }),
  };

  return {
    reported,
    clientOf: <M extends Managed>(
      { kind }: M,
      rivalOf: RivalFinder<PostgreSQLGrant> = () => undefined,
    ): ExternalClient<M> => clients[kind]!(rivalOf) as unknown as ExternalClient<M>,
    /** Observes, creates or updates as needed, and observes again, until nothing is left to do. */
    async pass<M extends Managed>(
      managed: M,
      known: ConnectionDetails = {},
      rivalOf: RivalFinder<PostgreSQLGrant> = () => undefined,
    ): Promise<State<M>> {
      const client = this.clientOf(managed, rivalOf);
      let credential = credentialOf(managed, known);
      let details = known;
      let acted: State<M>['acted'];
      const observe = async (): Promise<Observation<M>> => {
        const observed = await client.observe(managed, credential, never);
        details = withReported(details, observed.details);
        const { credential: verdict } = observed;
        if (credential && verdict) credential = { ...credential, isApplied: verdict === 'inForce' };
        return observed;
      };
      let observed = await observe();
      for (let calls = 0; calls < 3; calls += 1) {
        const isAsWanted = observed.isUpToDate && credential?.isApplied !== false;
        if (observed.exists && isAsWanted) break;
        const call = observed.exists ? 'update' : 'create';
        acted ??= call;
        const { isExisting = false, ...result }: Created<M> = await client[call](managed, credential, never);
        if (credential && !isExisting) credential = { ...credential, isApplied: true };
        details = withReported(details, result.details);
        observed = await observe();
      }
      const recorded = credential?.isApplied && { credential: { hmac: credential.value, pending: false } };
      return {
        managed: {
          ...managed,
          status: { ...managed.status, ...observed.status, ...recorded } as M['status'],
        },
        known: { ...details, ...(credential && { password: credential.value }) },
        observed,
        acted,
      };
    },
    /** Deletes what a managed resource stands for, and says whether anything is left. */
    async remove<M extends Managed>(
      managed: M,
      rivalOf: RivalFinder<PostgreSQLGrant> = () => undefined,
    ): Promise<boolean> {
      const client = this.clientOf(managed, rivalOf);
      const gone = deleted(managed);
      if (!(await client.observe(gone, undefined, never)).exists) return false;
      await client.delete(gone, never);
      return (await client.observe(gone, undefined, never)).exists;
    },
  };
}
