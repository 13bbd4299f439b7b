import { randomBytes } from 'node:crypto';
import { clientAdvice } from '../../../package/stack.ts';
import { advice } from '../advice.ts';
import { definitionsOf, runsAs } from './definitions.ts';
import { errnoOf, MysqlError, orTakeBack } from './error.ts';
import { checkOurs, removeMarks, writeMark } from './mark.ts';
import { checkNewName } from './name.ts';
import { runWithPassword } from './password.ts';
import type { Session } from './session.ts';
import { endSessions } from './sessions.ts';
import { account, quotedName } from './text.ts';
import { checkTls, clausesOf, dropUser, knownPlugin } from './user-change.ts';
import { readUser } from './user-read.ts';
import type { UserObservation, UserSpec } from './user-spec.ts';

/**
 * Throws for a name that a new user cannot have. A user of this name at another host or a role of this name forbids it, and
 * so does anything that would run with the rights of the user, except in `place`, the user's own database if that exists.
 */
export async function checkNewUser(
  session: Session,
  name: string,
  { place }: { readonly place?: string | undefined } = {},
): Promise<void> {
  checkNewName('user', name);
  const others = await session.query<{ host: string }>(
    `SELECT Host AS host FROM mysql.global_priv WHERE User = ? AND Host <> '%' ORDER BY Host LIMIT 10`,
    [name],
  );
  if (others.length === 0) {
    const defined = await definitionsOf(session, name, { except: place });
    // guard: otherwise what a previous user of this name left elsewhere reads the data of the new one
    if (defined.length > 0) throw runsAs(name, defined, { isNameNew: place === undefined });
    return;
  }
  const found = others.map(({ host }) =>
    host === '' ? (['role', quotedName(name)] as const) : (['user', account(name, host)] as const),
  );
  const whats = found.map(([kind, quoted]) => `${kind} ${quoted}`);
  const happened = `${whats.join(', ')} ${whats.length === 1 ? 'exists' : 'exist'}`;
  if (place === undefined)
    throw new MysqlError(`${happened}; ${clientAdvice.chooseExternalName}`, {
      code: 'NotOurs',
      advice: { kinds: ['ChooseExternalName'] },
      holder: { by: 'Nobody' },
    });
  // The database exists, and its user has its name.
  const statements = found.map(([kind, quoted]) => `DROP ${kind.toUpperCase()} ${quoted}`);
  throw new MysqlError(`${happened}; ${advice.dropOtherHosts(statements)}`, {
    code: 'NotOurs',
    holder: { by: 'AnotherResource' },
  });
}

interface UserToCreate {
  readonly name: string;
  readonly spec: UserSpec;
  readonly ownerId: string;
  readonly password: string | undefined;
  /** The one that exists, and that `ownerId` owns. */
  readonly found: UserObservation | undefined;
}

export interface UserCreation {
  /** The last step. */
  unlock(): Promise<void>;
  /** Takes back what this call created. */
  undo(): Promise<void>;
}

/** Creates a user that cannot log in yet, with its mark; or brings the one that `ownerId` owns to the spec. */
export async function beginUser(session: Session, user: UserToCreate): Promise<UserCreation> {
  const { name, spec, ownerId, found } = user;
  checkTls(session, spec);
  // guard: otherwise a session that outlives a user which an administrator dropped reads the data of the next one
  if (found === undefined) await endSessions(session, { user: name });
  const isMarkNew = await writeMark(session, 'user', name, ownerId);
  const forget = async () => {
    if (isMarkNew) await removeMarks(session, ['user'], name, ownerId);
  };
  try {
    await orTakeBack(() => writeUser(session, user), forget);
  } catch (error) {
    if (errnoOf(error) === createUserFailed && found === undefined)
      await checkNotThere(session, name, ownerId);
    throw error;
  }
  return {
    unlock: () => session.run(`ALTER USER ${account(name)} ACCOUNT UNLOCK`),
    async undo() {
      if (found === undefined) await dropUser(session, name);
      await forget();
    },
  };
}

/** Also the answer if the user exists. */
const createUserFailed = 1396;

async function writeUser(session: Session, { name, spec, password, found }: UserToCreate): Promise<void> {
  // No user can log in without a known password.
  const secret = password ?? (found === undefined ? randomBytes(24).toString('base64url') : undefined);
  const [verb, lock] = found === undefined ? ['CREATE', ' ACCOUNT LOCK'] : ['ALTER', ''];
  const statementOf = (identified: string) =>
    `${verb} USER ${account(name)} ${identified}${clausesOf(spec)}${lock} PASSWORD EXPIRE NEVER`;
  if (secret === undefined) return session.run(statementOf(''));
  const plugin = spec.plugin ?? knownPlugin(found);
  await runWithPassword(session, { password: secret, plugin }, statementOf);
}

/** Throws if another session created a user of that name during this time. */
async function checkNotThere(session: Session, name: string, ownerId: string): Promise<void> {
  const found = await readUser(session, name);
  if (found !== undefined) checkOurs(found, ownerId);
}
