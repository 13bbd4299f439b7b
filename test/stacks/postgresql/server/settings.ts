import isEqual from 'lodash/isEqual.js';
import type { Client } from 'pg';
import { eventually } from '../../../cluster/stack-harness.ts';

/** Opens a session of the superuser. */
type Connect = () => Promise<Client>;

async function used<T>(connect: Connect, use: (session: Client) => Promise<T>): Promise<T> {
  const session = await connect();
  try {
    return await use(session);
  } finally {
    await session.end();
  }
}

/** When the settings and rules of a new session were loaded. */
const loadedAt = (connect: Connect): Promise<unknown> =>
  used(connect, async (session) => (await session.query('SELECT pg_conf_load_time() AS at')).rows);

/**
 * The server reads its settings and the rules of pg_hba.conf again. Returns once they hold for each new session: the server
 * does that in its own time.
 */
export async function reload(connect: Connect): Promise<void> {
  const before = await loadedAt(connect);
  await used(connect, (session) => session.query('SELECT pg_reload_conf()'));
  await eventually('the server has read its files', async () => !isEqual(await loadedAt(connect), before));
}

/** From now on each commit waits for a synchronous standby, of which there is none. */
export async function requireStandby(connect: Connect): Promise<void> {
  await used(connect, (session) => session.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`));
  await reload(connect);
  // Another process of the server tells the sessions.
  await used(connect, (writer) =>
    used(connect, async (watcher) => {
      const { rows } = await writer.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const pid = rows[0]?.pid;
      await eventually('a commit waits', async () => {
        let isOver = false;
        const commit = writer.query(`SELECT pg_logical_emit_message(true, 'probe', '')`).finally(() => {
          isOver = true;
        });
        while (!isOver) {
          const waiting = `SELECT FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'SyncRep'`;
          if ((await watcher.query(waiting, [pid])).rows.length === 0) continue;
          await watcher.query('SELECT pg_cancel_backend($1)', [pid]);
          await commit;
          return true;
        }
        return false;
      });
    }),
  );
}

/** Waits until a session waits for a lock. */
export async function untilBlocked(connect: Connect, application = 'services-stack'): Promise<void> {
  await used(connect, (session) =>
    eventually('a statement waits for a lock', async () => {
      const waiting = `SELECT FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock'`;
      return (await session.query(waiting, [application])).rows.length > 0;
    }),
  );
}
