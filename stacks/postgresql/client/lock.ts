import { createHash } from 'node:crypto';
import { sqlStateOf } from './error.ts';
import type { Session } from './session.ts';

/** The maximum number of attempts to get a lock. Each ends at the session's lock timeout. */
const waits = 15;

/**
 * Runs one `body` at a time per `what` on the whole server, because an old and a new leader may overlap. The server
 * frees the lock when the session ends.
 *
 * Every role that may connect to this database can hold the same lock for ever. Therefore the lock counts only if an
 * administrator of the same name holds it. It prevents two of us from undoing each other's work; safety does not depend
 * on it.
 */
export async function withLock<T>(session: Session, what: string, body: () => Promise<T>): Promise<T> {
  const key = createHash('sha256').update(what).digest().readBigInt64BE().toString();
  const isHeld = await acquire(session, key);
  try {
    return await body();
  } finally {
    if (isHeld) await session.query('SELECT pg_advisory_unlock($1)', [key]).catch(() => {});
  }
}

/** False: another role holds the lock. Throws `55P03` (retryable) if our administrator holds it for long. */
async function acquire(session: Session, key: string): Promise<boolean> {
  const [tried] = await session.query<{ isHeld: boolean }>('SELECT pg_try_advisory_lock($1) AS "isHeld"', [
    key,
  ]);
  if (tried?.isHeld) return true;
  for (let wait = 1; await isHeldByUs(session, key); wait++) {
    try {
      await session.query('SELECT pg_advisory_lock($1)', [key]);
      return true;
    } catch (error) {
      if (sqlStateOf(error) !== '55P03' || wait === waits) throw error;
    }
  }
  return false;
}

async function isHeldByUs(session: Session, key: string): Promise<boolean> {
  const holders = await session.query(
    `SELECT FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
     JOIN pg_database d ON d.oid = l.database AND d.datname = current_database()
     WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted AND a.usename = current_user
       AND (l.classid::bigint << 32 | l.objid::bigint) = $1::bigint`,
    [key],
  );
  return holders.length > 0;
}
