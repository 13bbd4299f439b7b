import { invalidFields } from './error.ts';
import type { Plugin, Secret } from './password.ts';
import { plugins, runWithPassword } from './password.ts';
import type { Session } from './session.ts';
import { endSessions } from './sessions.ts';
import { account } from './text.ts';
import type { UserObservation, UserSpec } from './user-spec.ts';
import { userDrift } from './user-spec.ts';

/** Throws `Invalid` if users must use TLS and the server has none: no user could log in. */
export function checkTls({ facts }: Session, { tls }: UserSpec): void {
  if (tls === 'Required' && !facts.hasTls) throw invalidFields('the server has no TLS', ['tls']);
}

/** Brings a user to its spec. Another plugin needs the password. */
export async function repairUser(
  session: Session,
  found: UserObservation,
  spec: UserSpec,
  password: string | undefined,
): Promise<void> {
  const drift = userDrift(found, spec);
  if (drift.length === 0) return;
  checkTls(session, spec);
  await session.run(
    `ALTER USER ${account(found.name)}${clausesOf(spec)} ACCOUNT UNLOCK PASSWORD EXPIRE NEVER`,
  );
  if (drift.includes('plugin') && password !== undefined)
    await setPassword(session, found.name, { password, plugin: spec.plugin });
}

/** The plugin of a user, if it is one that a class may name. */
export const knownPlugin = (found: UserObservation | undefined): Plugin | undefined =>
  plugins.find((each) => each === found?.plugin);

export const setPassword = (session: Session, name: string, secret: Secret): Promise<void> =>
  runWithPassword(session, secret, (identified) => `ALTER USER ${account(name)} ${identified}`);

/** The clauses of the fields that the spec has. */
export function clausesOf({ tls, maxUserConnections, maxStatementSeconds }: UserSpec): string {
  const limits = [
    ...(maxUserConnections === undefined ? [] : [`MAX_USER_CONNECTIONS ${maxUserConnections}`]),
    ...(maxStatementSeconds === undefined ? [] : [`MAX_STATEMENT_TIME ${maxStatementSeconds}`]),
  ];
  const clauses = [
    ...(tls === undefined ? [] : [`REQUIRE ${tls === 'Required' ? 'SSL' : 'NONE'}`]),
    ...(limits.length === 0 ? [] : [`WITH ${limits.join(' ')}`]),
  ];
  return clauses.map((clause) => ` ${clause}`).join('');
}

/** Also ends its sessions: an event that began in the meantime may run on. */
export async function dropUser(session: Session, name: string): Promise<void> {
  await session.run(`DROP USER IF EXISTS ${account(name)}`);
  // guard: otherwise an event of a user outlives it, and sets the password of the next user of that name
  await endSessions(session, { user: name });
}
