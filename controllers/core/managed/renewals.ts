import isEmpty from 'lodash/isEmpty.js';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { ConnectionDetails, ReportedDetails } from '../../../apis/core/v1alpha1/secret.ts';
import { isReoffered } from '../claim-marks.ts';
import { secretsAmong } from '../connection/published-details.ts';
import { shouldUpdate } from '../management-policies.ts';

/**
 * What a former claim was told must not open what the next one gets: a released resource that is offered again gets new
 * credentials first, where its policies let it. This process remembers that it has, so that an update that takes many
 * runs ends; another process renews them once more. So are those that two processes have set at a time, of which nobody
 * can tell whose the external system has, where what is published could not be made to say so. And so are those that
 * were about to be set, as `status.renewingSince` says, of which nobody knows whether they were (docs/decisions/0029).
 */
export interface Renewals {
  /**
   * Whether what was published so far is to count as lost. `offered`: what this process has set and could not publish
   * yet, which it offers again instead.
   */
  isDue(managed: Managed, offered?: ReportedDetails): boolean;
  /** Whether it is offered again and this process has set none since. */
  isOwed(managed: Managed): boolean;
  /** Another process has published other credentials meanwhile, and they do not say that they are in doubt. */
  contested(managed: Managed): void;
  /** Its credentials were set, and what that returned is published. */
  done(managed: Managed): void;
  /** How long another process that is about to set credentials is to be left alone, in ms; 0: nobody is. */
  awaitedMs(managed: Managed, now: Date): number;
  /**
   * The mark to be written before credentials are set; undefined: the status has one already. It is ours from then on, also
   * if another process has left it, so that who is refused for good writes it once, however often it is started anew. But
   * where more has been published than the status tells (`revision`), that process was about to say that it is over, and
   * what it asked for last, and gave up, may be carried out yet: with a mark of our own the object is not as that knew it.
   */
  begin(managed: Managed, now: Date, revision?: number): string | undefined;
  /**
   * How many revisions may have been published that no status tells of, once it is about to publish one itself: by who ended
   * after it had made something, and by who had left the mark.
   */
  untold(managed: Managed): number;
  /** These details are published. Secrets among them are what the external system has, if the mark is ours. */
  published(managed: Managed, details: ConnectionDetails): void;
  /** Whether what was set after the mark that the status has is published. */
  isOver(managed: Managed): boolean;
  /**
   * Whether the mark is another process's, so that what that has published is for it to tell: until then, who takes over
   * knows that it may be about to.
   */
  isAnothers(managed: Managed): boolean;
}

/** A mark that this process has written, or taken over from another one. */
interface OwnMark {
  readonly mark: string;
  /** What was set since is published. */
  readonly isOver: boolean;
  readonly isTakenOver?: boolean;
}

/** For so long who is about to set credentials is left alone: as long as it takes, mostly. */
export const renewalGraceMs = 10_000;

export function createRenewals(): Renewals {
  const renewed = new Set<string | undefined>();
  const contested = new Set<string | undefined>();
  /** The last one of each managed resource, by its UID. */
  const own = new Map<string | undefined, OwnMark>();

  const ownMark = (managed: Managed) => {
    const begun = own.get(managed.metadata.uid);
    return begun !== undefined && begun.mark === managed.status?.renewingSince ? begun : undefined;
  };
  /** The mark that the status has, if another process has left it, and this one has not taken it over. */
  const othersMark = (managed: Managed): string | undefined =>
    ownMark(managed) === undefined ? managed.status?.renewingSince : undefined;
  /** For how much longer a mark is fresh. One that is further ahead was written before a clock was set back. */
  const freshForMs = (mark: string, now: Date): number => {
    const ageMs = now.getTime() - Date.parse(mark);
    return Math.abs(ageMs) < renewalGraceMs ? renewalGraceMs - Math.max(ageMs, 0) : 0;
  };
  const isInDoubt = (managed: Managed, offered: ReportedDetails): boolean =>
    othersMark(managed) !== undefined || (ownMark(managed)?.isOver === false && isEmpty(offered));

  const isOwed = (managed: Managed): boolean => isReoffered(managed) && !renewed.has(managed.metadata.uid);

  return {
    isOwed,
    isDue(managed, offered = {}) {
      const { uid } = managed.metadata;
      const isOfferedAgain = isReoffered(managed);
      if (!isOfferedAgain) renewed.delete(uid);
      const isKnownElsewhere = isOfferedAgain ? isOwed(managed) : contested.has(uid);
      return (isKnownElsewhere || isInDoubt(managed, offered)) && shouldUpdate(managed.spec);
    },
    contested: ({ metadata }) => void contested.add(metadata.uid),
    done(managed) {
      const { uid } = managed.metadata;
      contested.delete(uid);
      if (isReoffered(managed)) renewed.add(uid);
    },
    awaitedMs: (managed, now) => freshForMs(othersMark(managed) ?? '', now),
    begin(managed, now, revision = 0) {
      const { metadata, status } = managed;
      if (ownMark(managed)?.isOver === false) return undefined;
      const others = othersMark(managed);
      const isSettled = revision <= (status?.publishedRevision ?? 0);
      if (others !== undefined && isSettled) {
        own.set(metadata.uid, { mark: others, isOver: false, isTakenOver: true });
        return undefined;
      }
      const mark = now.toISOString();
      own.set(metadata.uid, { mark, isOver: false });
      return mark;
    },
    untold(managed) {
      const begun = ownMark(managed);
      if (othersMark(managed) !== undefined) return 2;
      if (begun === undefined || begun.isOver) return 0;
      return begun.isTakenOver ? 2 : 1;
    },
    published(managed, details) {
      const begun = ownMark(managed);
      const isSet = shouldUpdate(managed.spec) && !isEmpty(secretsAmong(details));
      if (begun === undefined || !isSet) return;
      own.set(managed.metadata.uid, { ...begun, isOver: true });
    },
    isOver: (managed) => ownMark(managed)?.isOver === true,
    isAnothers: (managed) => othersMark(managed) !== undefined && shouldUpdate(managed.spec),
  };
}
