import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { controllerUid } from '../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import type { PostgreSQLDatabase } from '../../../apis/postgresql/v1alpha1/postgresql-database.ts';
import { PostgreSQLDatabaseKind } from '../../../apis/postgresql/v1alpha1/postgresql-database.ts';
import type { PostgreSQLGrant } from '../../../apis/postgresql/v1alpha1/postgresql-grant.ts';
import { PostgreSQLGrantKind } from '../../../apis/postgresql/v1alpha1/postgresql-grant.ts';
import type { PostgreSQLRole } from '../../../apis/postgresql/v1alpha1/postgresql-role.ts';
import { PostgreSQLRoleKind } from '../../../apis/postgresql/v1alpha1/postgresql-role.ts';
import type { InvariantOf } from '../invariant.ts';
import { isProcess } from '../invariant.ts';
import { databaseFaults, grantFaults, loginRefusal, roleFaults } from '../oracle/expected-postgresql.ts';
import { recordedName } from '../oracle/recorded-name.ts';

/** A password that something else changed on the server is noticed within ten minutes, at the next look (docs/postgresql.md). */
const noticedAfterMs = 12 * 60_000;

/** The password of a role was set, or something else about it. */
interface Setting {
  readonly by: string;
  readonly atMs: number;
}

/** A process asked something of the server. */
interface Activity {
  readonly sinceMs: number;
  readonly untilMs: number;
}

export const postgresqlSettled: InvariantOf = (world) => {
  const { cluster, postgresql } = world;
  /** By the names of roles. What else was altered of a role is told with the same words. */
  const set = new Map<string, readonly Setting[]>();
  /** By the names of processes. */
  const active = new Map<string, Activity>();
  const secretOf = ({ metadata, spec }: Managed): Secret | undefined => {
    const to = spec.writeConnectionSecretToRef;
    const found = to && cluster.find(SecretKind, to);
    return found && controllerUid(found) === metadata.uid ? found : undefined;
  };
  const faultsOf = <M extends Managed>(kind: Kind<M>, judged: (managed: M) => readonly string[]) =>
    cluster
      .all(kind)
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .flatMap((managed) =>
        judged(managed).map((fault) => `${kind.kind} ${managed.metadata.name} is ${fault}`),
      );
  const managedOf = (kind: Kind<Managed>): readonly Managed[] => cluster.all(kind);
  /** A process that ran beside the one that set the password takes what it knows for right. */
  const wasSetBeside = ({ by, atMs }: Setting): boolean =>
    [...active].some(([other, { sinceMs, untilMs }]) => other !== by && sinceMs <= atMs && atMs <= untilMs);
  /** Passwords are judged before databases are. */
  const isRefused = (managed: Managed): boolean =>
    loginRefusal(secretOf(managed), postgresql, 'postgres') === '28P01';
  return {
    asked({ by, call }) {
      const nowMs = world.elapsedMs;
      if (call.includes(' postgresql '))
        active.set(by, { sinceMs: active.get(by)?.sinceMs ?? nowMs, untilMs: nowMs });
      return [];
    },
    called({ by, system, verb, target, isRefused: wasRefused }) {
      if (system === 'postgresql' && verb === 'ALTER ROLE' && !wasRefused && isProcess(by)) {
        set.set(target, [...(set.get(target) ?? []), { by, atMs: world.elapsedMs }]);
      }
      return [];
    },
    /** Of two processes that run by mistake one may set a password and die before anybody knows it. */
    rightByMs() {
      const kinds = [PostgreSQLDatabaseKind, PostgreSQLRoleKind] as unknown as readonly Kind<Managed>[];
      const settings = kinds
        .flatMap(managedOf)
        .filter(isRefused)
        .flatMap((managed) => set.get(recordedName(managed)) ?? []);
      return Math.max(0, ...settings.filter(wasSetBeside).map(({ atMs }) => atMs + noticedAfterMs));
    },
    name: 'what says in PostgreSQL that it is Ready and Synced is so, and its login works',
    atRest: () => [
      ...faultsOf(PostgreSQLDatabaseKind as Kind<PostgreSQLDatabase>, (managed) =>
        databaseFaults(managed, secretOf(managed), postgresql),
      ),
      ...faultsOf(PostgreSQLRoleKind as Kind<PostgreSQLRole>, (managed) =>
        roleFaults(managed, secretOf(managed), postgresql),
      ),
      ...faultsOf(PostgreSQLGrantKind as Kind<PostgreSQLGrant>, (managed) =>
        grantFaults(managed, postgresql),
      ),
    ],
  };
};
