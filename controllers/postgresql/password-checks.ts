import { createHash } from 'node:crypto';
import { boundedCache } from '../../runtime/bounded-cache.ts';
import type { Clock } from '../../runtime/time/clock.ts';
import type { Random } from '../../runtime/time/random.ts';

/** Whether published passwords still work, found out rarely: each try costs a connection of its own. */
export interface PasswordChecks {
  /**
   * Whether the password does not work. Tries one that it has not seen for this owner before at once, unless it
   * is the first it sees and the owner is already said to work: those it tries within a period, at a random time, so
   * that a restart does not try them all. Tries the same again once per period. In between it answers as before.
   */
  isWrong(ownerId: string, password: string, published: PublishedPassword): Promise<boolean>;
  /** Another is about to be set: until that is known to work, whichever is published has to be tried. */
  doubted(ownerId: string): void;
  /** The password was set just now, so that it works. */
  passed(ownerId: string, password: string): void;
}

export interface PublishedPassword {
  /** Whether its owner says that it is Ready. One that is restored from a backup does not: its password may be an old one. */
  readonly isSaidToWork: boolean;
  /** Whether it works. */
  readonly tryPassword: () => Promise<boolean>;
}

export interface PasswordChecksOptions {
  readonly clock: Pick<Clock, 'elapsedMs'>;
  readonly random: Random;
  /** How long an answer holds; default 10 minutes. */
  readonly periodMs?: number;
}

interface Verdict {
  readonly digest: string;
  readonly isWrong: boolean;
  readonly untilMs: number;
}

/** As many as one process is likely to manage; one that is forgotten is only tried later. */
const maxVerdicts = 20_000;

export function createPasswordChecks(options: PasswordChecksOptions): PasswordChecks {
  const { clock, random, periodMs = 10 * 60_000 } = options;
  const verdicts = boundedCache<Verdict>(maxVerdicts);
  const record = (ownerId: string, verdict: Omit<Verdict, 'untilMs'>, forMs: number): void => {
    verdicts.set(ownerId, { ...verdict, untilMs: clock.elapsedMs() + forMs });
  };

  return {
    async isWrong(ownerId, password, { isSaidToWork, tryPassword }) {
      const digest = digestOf(password);
      const before = verdicts.get(ownerId);
      if (before === undefined && isSaidToWork) {
        record(ownerId, { digest, isWrong: false }, periodMs * random());
        return false;
      }
      if (before?.digest === digest && before.untilMs > clock.elapsedMs()) return before.isWrong;
      const isWrong = !(await tryPassword());
      record(ownerId, { digest, isWrong }, periodMs);
      return isWrong;
    },
    doubted: (ownerId) => record(ownerId, { digest: '', isWrong: false }, 0),
    passed: (ownerId, password) => record(ownerId, { digest: digestOf(password), isWrong: false }, periodMs),
  };
}

const digestOf = (password: string): string => createHash('sha256').update(password).digest('base64');
