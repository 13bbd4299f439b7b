import type { Marks } from './mark.ts';
import { readMarks } from './mark.ts';
import type { Session } from './session.ts';
import type { UserObservation } from './user-spec.ts';

/** The user `name@'%'`, in the session's server. Undefined if there is none. */
export async function readUser(
  session: Session,
  name: string,
  marks?: Marks,
): Promise<UserObservation | undefined> {
  const facts = {
    maxUserConnections: 'max_user_connections',
    maxStatementSeconds: 'max_statement_time',
    sslType: 'ssl_type',
    plugin: 'plugin',
    isLocked: 'account_locked',
    lifetime: 'password_lifetime',
    changedAt: 'password_last_changed',
  };
  const columns = Object.entries(facts).map(([as, key]) => `JSON_VALUE(Priv, '$.${key}') AS ${as}`);
  const rows = await session.query<Record<keyof typeof facts, string | null> & { readonly host: string }>(
    `SELECT Host AS host, ${columns.join(', ')} FROM mysql.global_priv WHERE User = ? AND Host <> '' ORDER BY Host`,
    [name],
  );
  const row = rows.find(({ host }) => host === '%');
  if (row === undefined) return undefined;
  const { user: mark } = marks ?? (await readMarks(session, name));
  return {
    kind: 'user',
    name,
    ...(mark !== undefined && { mark }),
    maxUserConnections: Number(row.maxUserConnections ?? 0),
    maxStatementSeconds: Number(row.maxStatementSeconds ?? 0),
    tls: Number(row.sslType ?? 0) === 0 ? 'Optional' : 'Required',
    plugin: row.plugin ?? '',
    isLocked: isTrue(row.isLocked),
    expires: row.lifetime !== '0',
    isExpired: row.changedAt === '0',
    otherHosts: rows.map(({ host }) => host).filter((host) => host !== '%'),
  };
}

const isTrue = (json: string | null): boolean => json === '1' || json === 'true';
