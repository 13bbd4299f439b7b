import { createHash } from 'node:crypto';
import { boundedCache } from '../../runtime/bounded-cache.ts';
import type { Clock } from '../../runtime/time/clock.ts';
import type { Random } from '../../runtime/time/random.ts';
import type { DesiredCredential, Observation } from '../managed/connecting/external-client.ts';

/** Tests passwords by a login, and rarely: each login costs a connection of its own. One for a process. */
export interface PasswordChecks {
  /**
   * `isAccepted`: whether the server accepts a login with a password. A credential that is not applied is tested at once:
   * `inForce` only if the server accepts it and refuses another. An applied credential is tested once per period. The first
   * test is at a random time of the period, so that a restart does not test all of them. Undefined before the test.
   */
  verdictOn(
    ownerId: string,
    credential: DesiredCredential,
    isAccepted: (password: string) => Promise<boolean>,
  ): Promise<Observation['credential']>;
  /** The password was set just now, so it works. */
  wasSet(ownerId: string, password: string): void;
  /** The account may be another than before: its password is tested at once, whether it is applied or not. */
  doubt(ownerId: string): void;
}

export interface PasswordChecksOptions {
  readonly clock: Pick<Clock, 'elapsedMs'>;
  readonly random: Random;
  /** How long a result is valid; default 10 minutes. */
  readonly periodMs?: number;
}

interface Check {
  readonly digest: string;
  readonly verdict: Observation['credential'];
  readonly untilMs: number;
}

/** The most that one process is likely to manage. A dropped entry is only tested later. */
const maxChecks = 20_000;

/** Tests of passwords, for all accounts of a stack. */
export function createPasswordChecks(options: PasswordChecksOptions): PasswordChecks {
  const { clock, random, periodMs = 10 * 60_000 } = options;
  const checks = boundedCache<Check>(maxChecks);
  const record = (ownerId: string, check: Omit<Check, 'untilMs'>, forMs = periodMs): Check['verdict'] => {
    checks.set(ownerId, { ...check, untilMs: clock.elapsedMs() + forMs });
    return check.verdict;
  };

  return {
    async verdictOn(ownerId, { value, isApplied }, isAccepted) {
      const digest = digestOf(value, isApplied);
      const before = checks.get(ownerId);
      const isSame = before?.digest === digest;
      if (isSame && before.untilMs > clock.elapsedMs()) return before.verdict;
      if (isApplied && !isSame && before?.digest !== doubted) {
        return record(ownerId, { digest, verdict: undefined }, periodMs * random());
      }
      if (!(await isAccepted(value))) return record(ownerId, { digest, verdict: 'wrong' });
      // If the server accepts any password, for example with `trust`, the test proves nothing.
      const isProven = isApplied || !(await isAccepted(`not ${value}`));
      return record(ownerId, { digest, verdict: isProven ? 'inForce' : undefined });
    },
    wasSet(ownerId, password) {
      record(ownerId, { digest: digestOf(password, true), verdict: 'inForce' });
    },
    doubt(ownerId) {
      record(ownerId, { digest: doubted, verdict: undefined });
    },
  };
}

/** In place of the digest of a password. */
const doubted = 'doubted';

const digestOf = (password: string, isApplied: boolean): string =>
  createHash('sha256').update(`${isApplied} ${password}`).digest('base64');
