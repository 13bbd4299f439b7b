import type { DesiredCredential, Managed, Observation } from '../../package/stack.ts';
import { isLockedOut } from '../../package/stack.ts';
import { advice } from './advice.ts';
import { MysqlError } from './client/error.ts';
import { account } from './client/text.ts';
import type { UserObservation, Users } from './client/user.ts';
import { isOurs } from './ownership.ts';

/** Whether the password of a user is tested at each observation, because the user may not be able to log in. */
export const isDoubtful = (managed: Managed, user: UserObservation): boolean =>
  !isOurs(managed, user) || user.isExpired || user.otherHosts.length > 0;

/**
 * Whether the server refuses a password that worked. A user of the same name with a more precise host wins over each
 * password, so a new one does not end that.
 */
export const isShutOut = (
  user: UserObservation | undefined,
  credential: DesiredCredential | undefined,
  verdict: Observation['credential'],
): boolean => isLockedOut(credential, verdict) || (verdict === 'wrong' && (user?.otherHosts.length ?? 0) > 0);

/**
 * Throws an Error if the server refuses the password that was set just now: a user of the same name with a more precise
 * host wins there. Its message is for administrators; a claim shows another text.
 */
export async function checkNoneWins(
  users: Pick<Users, 'checkPassword'>,
  user: UserObservation | undefined,
  credential: DesiredCredential | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (user === undefined || credential === undefined || user.otherHosts.length === 0) return;
  const { name, otherHosts } = user;
  if (await users.checkPassword(name, credential.value, { signal })) return;
  const others = otherHosts.map((host) => account(name, host));
  const statements = others.map((other) => `DROP USER ${other}`);
  throw new MysqlError(
    `the server refuses the password of user ${account(name)}: at its host ${others.join(' or ')} wins; ${advice.dropOtherHosts(statements)}`,
    { code: 'NotOurs', holder: { by: 'AnotherResource' } },
  );
}
