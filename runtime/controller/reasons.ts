import uniq from 'lodash/uniq.js';
import { objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import type { Wake } from './wake.ts';

/** Why a key runs. `version`: of a wake during the run of the key, which may have written that version itself. */
interface Reason {
  readonly because: string;
  readonly version: string | undefined;
}

/** Whether a noted reason makes another one needless. */
const covers = (noted: Reason, { because, version }: Reason): boolean =>
  noted.because === because && (noted.version === undefined || noted.version === version);

/** The reasons for the next run of each key. */
export function createReasons(running: ReadonlySet<string>) {
  const reasons = new Map<string, readonly Reason[]>();
  return {
    has: (key: string): boolean => (reasons.get(key) ?? []).length > 0,
    note({ request, because, version }: Wake): void {
      const key = objectKeyText(request);
      const reason: Reason = { because, version: running.has(key) ? version : undefined };
      const noted = reasons.get(key) ?? [];
      if (!noted.some((each) => covers(each, reason))) reasons.set(key, [...noted, reason]);
    },
    /** Returns the reasons, which are then forgotten. */
    take(key: string): readonly string[] {
      const noted = reasons.get(key) ?? [];
      reasons.delete(key);
      return uniq(noted.map(({ because }) => because));
    },
    /** Forgets the reasons that the run itself has caused: it decided again after each of its writes. */
    forgetOwn(key: string, wrote: ReadonlySet<string>): void {
      const noted = reasons.get(key);
      if (noted === undefined) return;
      reasons.set(
        key,
        noted.filter(({ version = '' }) => !wrote.has(version)),
      );
    },
  };
}
