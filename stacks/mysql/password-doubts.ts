import { advice } from './advice.ts';
import { MysqlError } from './client/error.ts';
import { account } from './client/text.ts';
import type { Users } from './client/user.ts';
import type { UserObservation } from './client/user-spec.ts';

/**
 * Whether the server may refuse any password of a user: it has expired, or a user of the same name with a more precise host
 * wins there. A new password does not end the latter.
 */
export const isDoubtful = ({ isExpired, otherHosts }: UserObservation): boolean =>
  isExpired || otherHosts.length > 0;

/**
 * Throws an Error if the server refuses the password that was set just now: a user of the same name with a more precise
 * host wins there. Its message is for administrators; a claim shows another text.
 */
export async function checkNoOtherWins(
  users: Pick<Users, 'checkPassword'>,
  user: UserObservation | undefined,
  password: string,
  signal: AbortSignal,
): Promise<void> {
  if (user === undefined || user.otherHosts.length === 0) return;
  const { name, otherHosts } = user;
  if (await users.checkPassword(name, password, { signal })) return;
  const others = otherHosts.map((host) => account(name, host));
  const statements = others.map((other) => `DROP USER ${other}`);
  throw new MysqlError(
    `the server refuses the password of user ${account(name)}: at its host ${others.join(' or ')} wins; ${advice.dropOtherHosts(statements)}`,
    { code: 'NotOurs', holder: { by: 'AnotherResource' } },
  );
}
