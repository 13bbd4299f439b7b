/*
 *   DELETE: looks for finalizers, finds none ··················▶ the object goes
 *   this process:        finalizer accepted ─▶ creates outside ─▶ … ─▶ the watch: gone, with our finalizer ─▶ seen to here
 */

import isEqual from 'lodash/isEqual.js';
import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import {
  annotationKeys,
  finalizerNames,
  hasFinalizer,
  wasDeleted,
  withFinalizer,
} from '../../../apis/core/v1alpha1/meta.ts';
import type { Resource } from '../../../runtime/cache/resource.ts';
import { compareResourceVersions } from '../../../runtime/cache/resource-version.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { Request } from '../../../runtime/controller/reconcile.ts';
import type { Predicate } from '../../../runtime/controller/triggers.ts';
import { isCreationIncomplete, resultTime } from './creation-tracking.ts';
import { withAnnotations } from './identity.ts';

/**
 * Managed resources that are gone though they held our finalizer. A kube-apiserver that is asked to delete an object
 * looks for finalizers first, and not again in the transaction that deletes: one that it accepts meanwhile holds
 * nothing (registry/generic/registry/store.go). What has been made outside by then is nobody's, so that this process
 * keeps the record of it that the cluster has not, until it is deleted outside. It is lost with the process.
 *
 * The watch tells of such an end by itself: what goes in order is marked as deleted first. Where a list only lacks the
 * object, or a second deletion has marked it meanwhile, it counts if it was here that its creation began, and no run has
 * been over it since; else somebody may have let go of it. Whoever lets go while it is being made here cannot know of what
 * is made, and found nothing: that counts, too, also where the watch tells of it only when the call has ended.
 */
export interface Overtaken {
  /** Whether one has gone so; it is on record from then on. */
  readonly goesUnreleased: Predicate<Managed>;
  /** Its external resource is about to be created. */
  begin(managed: Managed): void;
  /** The call that creates it has ended, one way or another; that it went meanwhile may be heard of later. */
  end(managed: Managed): void;
  /** Whether a call is creating it, or has and nobody knows whether it was there after that. */
  isMaking(managed: Managed): boolean;
  /** It was there after that, with our finalizer, as the answer to a write or to a GET tells; or it is let go of here. */
  settle(managed: Managed): void;
  /** This is about to be put on record of it, as its annotations. */
  learn(managed: Managed, annotations: Readonly<Record<string, string>>): void;
  /** So it is shown now. */
  see(managed: Managed): void;
  /** One of this name, as if it were being deleted. */
  of(request: Request): Managed | undefined;
  forget(managed: Managed): void;
  /** Takes what is written to them, in place of the API server; without our finalizer one is forgotten. */
  readonly inPlace: Pick<Resource<Managed>, 'update' | 'updateStatus'>;
}

export function createOvertaken({ events, clock }: Pick<Environment, 'events' | 'clock'>): Overtaken {
  /** By UID: those whose creation began, and that no run has found changed since. */
  const begun = new Map<string | undefined, Managed>();
  /** By UID: those that a call is creating, or of which nobody knows whether they were there when it had ended. */
  const making = new Map<string | undefined, 'called' | 'ended'>();
  /** By UID: those that are gone. */
  const gone = new Map<string | undefined, Managed>();

  const forget = ({ metadata: { uid } }: Managed): void => {
    begun.delete(uid);
    gone.delete(uid);
  };

  function settle({ metadata: { uid } }: Managed): void {
    if (making.get(uid) === 'ended') making.delete(uid);
  }

  /** Another process has said that it is there, since its creation began here: who takes a finalizer away then means it. */
  function isTold({ metadata: { uid }, status }: Managed): boolean {
    return status?.externalIdentity !== undefined && begun.get(uid)?.status?.externalIdentity === undefined;
  }

  async function write(current: Managed, desired: Managed): Promise<Managed> {
    if (isEqual(current, desired)) return current;
    if (hasFinalizer(desired, finalizerNames.managed)) gone.set(desired.metadata.uid, desired);
    else forget(desired);
    return desired;
  }

  /** Whoever was cut off in a creation cannot be asked any more: it is taken for made until a look says otherwise. */
  function answered(managed: Managed): Managed {
    if (!isCreationIncomplete(managed)) return managed;
    return withAnnotations(managed, {
      [annotationKeys.externalCreateSucceeded]: resultTime(managed, clock.now()),
    });
  }

  function of(request: Request): Managed | undefined {
    const key = objectKeyText(request);
    const left = [...gone.values()].find(({ metadata }) => objectKeyText(metadata) === key);
    if (left === undefined) return undefined;
    return answered(withAnnotations(left, begun.get(left.metadata.uid)?.metadata.annotations ?? {}));
  }

  return {
    goesUnreleased(change) {
      if (change.type !== 'deleted') return false;
      const { object, isLast } = change;
      const { uid } = object.metadata;
      const isOurs = begun.has(uid);
      const isUnmarked = isLast === true && !wasDeleted(object);
      const isHeld = hasFinalizer(object, finalizerNames.managed);
      if (!isHeld && isUnmarked && isTold(object)) making.delete(uid);
      if (!making.has(uid) && !(isHeld && (isOurs || isUnmarked))) {
        begun.delete(uid);
        return false;
      }
      settle(object);
      const deletionTimestamp = clock.now().toISOString();
      const finalizers = withFinalizer(object, finalizerNames.managed);
      gone.set(uid, { ...object, metadata: { ...object.metadata, deletionTimestamp, finalizers } });
      const message = `${isHeld ? messages.overtaken : messages.letGo}, and is gone; ${messages.fate}`;
      events.record(object, { type: 'Warning', reason: 'DeletionOvertookFinalizer', message });
      return true;
    },
    begin(managed) {
      begun.set(managed.metadata.uid, managed);
      making.set(managed.metadata.uid, 'called');
    },
    end({ metadata: { uid } }) {
      // One that has gone meanwhile is on record already.
      if (gone.has(uid)) making.delete(uid);
      else making.set(uid, 'ended');
    },
    isMaking: ({ metadata: { uid } }) => making.has(uid),
    settle,
    learn(managed, annotations) {
      const { uid } = managed.metadata;
      if (begun.has(uid)) begun.set(uid, withAnnotations(managed, annotations));
    },
    see(managed) {
      const { uid, resourceVersion = '' } = managed.metadata;
      const before = begun.get(uid)?.metadata.resourceVersion;
      if (before !== undefined && compareResourceVersions(resourceVersion, before) > 0) begun.delete(uid);
    },
    of,
    forget,
    inPlace: { update: write, updateStatus: write },
  };
}

const messages = {
  overtaken: 'it was deleted while its finalizer was written',
  letGo: 'somebody else let go of it while it was being created',
  fate: 'what was made for it goes as its policies say, unless another resource of its name has taken that up',
};
