import { createHash } from 'node:crypto';
import { withoutSecrets } from '../../../package/http.ts';
import { advice } from '../advice.ts';
import { errnoOf, isMysqlError, MysqlError } from './error.ts';
import type { Session } from './session.ts';
import { quotedText } from './text.ts';

/** The plugins that a class may name. */
export const plugins = ['mysql_native_password', 'ed25519', 'caching_sha2_password'] as const;
export type Plugin = (typeof plugins)[number];

/** A password, and the plugin that tests it. Absent: the server's default, which is mysql_native_password. */
export interface Secret {
  readonly password: string;
  readonly plugin?: Plugin | undefined;
}

/**
 * Runs a statement that sets a password. The server writes statements into its logs as they are, and sends them to
 * replicas. So it gets the hash that it stores. It gets the password itself only if one of its policies must see it, or for
 * a plugin with another hash. `statementOf`: the statement with the clause `IDENTIFIED …`.
 */
export async function runWithPassword(
  session: Session,
  { password, plugin }: Secret,
  statementOf: (identified: string) => string,
): Promise<void> {
  if (password === '' || password.includes('\0'))
    throw new MysqlError('password must not be empty and not contain a zero byte', { code: 'Invalid' });
  const [hash, clear] = [quotedText(nativeHash(password)), quotedText(password)];
  const run = async (identified: string) => {
    try {
      await session.run(statementOf(identified), { secret: password });
    } catch (error) {
      throw await namingCause(session, error, password);
    }
  };
  if (plugin !== undefined && plugin !== 'mysql_native_password')
    return run(`IDENTIFIED VIA ${plugin} USING PASSWORD(${clear})`);
  try {
    await run(`IDENTIFIED BY PASSWORD ${hash}`);
  } catch (error) {
    // guard: otherwise no password can be set on a server with a policy
    if (errnoOf(error) !== strictValidation || !isMysqlError(error, 'Invalid')) throw error;
    await run(`IDENTIFIED BY ${clear}`);
  }
}

/** The server has a policy, and a hash hides the password from it (`--strict-password-validation`). */
const strictValidation = 1290;
const statementFailed = 1396;
const noSuchPlugin = 1524;
const breaksPolicy = 1819;

/** The hash of mysql_native_password. */
function nativeHash(password: string): string {
  const once = createHash('sha1').update(password).digest();
  return `*${createHash('sha1').update(once).digest('hex').toUpperCase()}`;
}

/**
 * The error of a statement with a password. It names the field of a plugin that is missing, and the rules of a policy. The
 * server tells the cause beside its error, which may only say that the statement failed.
 */
async function namingCause(session: Session, error: unknown, password: string): Promise<unknown> {
  if (![statementFailed, noSuchPlugin, breaksPolicy].includes(errnoOf(error) ?? 0)) return error;
  const warnings = await session.query<Warning>('SHOW WARNINGS');
  const cause = warnings.find(({ Level, Code }) => Level === 'Error' && Code !== statementFailed);
  if (cause === undefined) return error;
  const rules = warnings.filter(({ Code }) => Code === breaksPolicy).map(({ Message }) => Message);
  const text = (...lines: readonly string[]) => withoutSecrets(lines.join('; '), [password]);
  if (cause.Code === noSuchPlugin) {
    const fields = ['spec.forProvider.passwordPlugin'];
    return new MysqlError(`${text(cause.Message)}; ${advice.loadPlugin}`, {
      code: 'Invalid',
      errno: noSuchPlugin,
      advice: { kinds: ['ChangeFields'], fields },
    });
  }
  if (rules.length > 0)
    return new MysqlError(text(...rules.toReversed()), { code: 'Invalid', errno: breaksPolicy });
  return cause.Code === strictValidation
    ? new MysqlError(text(cause.Message), { code: 'Invalid', errno: strictValidation })
    : error;
}

/** A row of `SHOW WARNINGS`, about the statement before. */
interface Warning {
  readonly Level: string;
  readonly Code: number;
  readonly Message: string;
}
