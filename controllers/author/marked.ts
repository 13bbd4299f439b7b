import { advice as coreAdvice } from '../../apis/core/v1alpha1/advice.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { nameOf, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { describeReference } from '../../apis/core/v1alpha1/reference.ts';
import { advice as clientAdvice } from '../../clients/advice.ts';
import { ExternalError, invalid } from '../../clients/external-error.ts';
import type { Adoption } from '../../clients/not-ours.ts';
import { notOurs } from '../../clients/not-ours.ts';
import { escaped } from '../../clients/text.ts';
import { messageOf } from '../../runtime/client/errors.ts';
import type { Observation } from '../managed/connecting/external-client.ts';
import { isObserver, shouldDelete } from '../management-policies.ts';
import { isNameFixed, withNameAdvice } from '../name-advice.ts';
import type { HolderOf } from './mark-holders.ts';
import { ownerIdOf } from './owner-id.ts';

/** The words, names and marks of one kind of things on a shared server, such as its users. `F`: one that exists. */
export interface MarkedKind<F> {
  /** The word of the server: `database`, `role`, `user`. */
  readonly kind: string;
  /** A name as a statement has it, in quotes. */
  readonly quoted: (name: string) => string;
  /** Throws an Error if the server would not accept the name as it is, or owns it. The message has the rule. */
  readonly checkOwnName: (name: string) => void;
  /** The same for a new name, which may have stricter rules. */
  readonly checkNewName: (name: string) => void;
  /** The mark of what an owner has, such as its digest. A tenant must not be able to write it. */
  readonly markOf: (ownerId: string) => string;
  /** Undefined: it has no mark. */
  readonly markIn: (found: F) => string | undefined;
  /** The statement that writes the mark of an owner, for messages to administrators. */
  readonly markStatement: (name: string, ownerId: string) => string;
  /** How a name is freed if another one took it. Default: that one is renamed. */
  readonly freeIt?: string;
}

/** Decides by names and marks to which resource a thing on a shared server belongs. */
export interface Ownership<F> {
  isOurs(managed: Managed, found: F | undefined): boolean;
  /** Whether the mark names another resource. Then it is never changed, dropped or given to this resource. */
  isOfOther<T extends F>(managed: Managed, found: T | undefined): found is T;
  /** For an observation: whether another resource has it, so that the controller publishes no details. */
  ownedByAnother(managed: Managed, found: F): { readonly isOfAnother: true } | undefined;
  /**
   * Throws an Error unless it has the mark of the managed resource, or the managed resource may only observe. The message
   * explains how to adopt it and the consequences, but not for a resource that was provisioned for a claim: its team chose
   * the external name, and an administrator who runs the statement would give that team what another one has. An
   * administrator who sets `claimRef` of another resource has decided that.
   */
  checkMayManage(managed: Managed, found: F, adoption?: Adoption): void;
  /** Throws an Error if the server would not accept the external name as it is, or owns it. The message has the fix. */
  checkExternalName(managed: Managed): void;
  /** The same for new names, which may have stricter rules. */
  checkNewExternalName(managed: Managed): void;
  /** Whether the server accepts the external name; if not, nothing of that name can exist. */
  hasUsableName(managed: Managed): boolean;
  /**
   * Throws an Error if it is the account that the provider logs in as. A managed resource for it would change the password
   * that all others need. It may be observed.
   */
  checkNotAdministrator(managed: Managed, username: string): void;
  /**
   * The error about something without a mark: the mark was removed, or another one has the name. The statement gives it to
   * the resource, and so to its claim. While the resource is deleted, the statement lets it drop the data. Only
   * administrators see it: a claim shows another text.
   */
  markLost(managed: Managed, name: string): ExternalError;
  /**
   * The observation of something that was lost, and whose name another resource has. Undefined: it was not. `own`: the
   * kind of the external resource, if this is a part of it.
   */
  observedTaken(
    managed: Managed,
    found: F | undefined,
    options: { readonly holderOf: HolderOf; readonly own?: string },
  ): Observation<never> | undefined;
  /** For a deleted resource that managed it before: throws an Error if it has no mark. An administrator drops it or not. */
  checkMarked(managed: Managed, found: F | undefined): void;
  /** The remains of a deleted resource that have no mark, for an Event. Empty: none. */
  unmarkedRemains(managed: Managed, found: F | undefined): readonly string[];
}

/** Whether it was found with the mark of the managed resource before. */
export const wasOurs = ({ status }: Managed): boolean => status?.externalIdentity !== undefined;

/** The {@link Ownership} of things of one kind, each with at most one mark. */
export function ownershipByMark<F extends { readonly name: string }>({
  kind,
  quoted,
  checkOwnName,
  checkNewName,
  markOf,
  markIn,
  markStatement,
  freeIt,
}: MarkedKind<F>): Ownership<F> {
  const isOurs = (managed: Managed, found: F | undefined): boolean =>
    found !== undefined && markIn(found) === markOf(ownerIdOf(managed));
  const isOfOther = <T extends F>(managed: Managed, found: T | undefined): found is T =>
    found !== undefined && markIn(found) !== undefined && !isOurs(managed, found);
  /** Whether the mark of something that was ours was removed. */
  const isUnmarked = (managed: Managed, found: F | undefined): found is F =>
    found !== undefined && markIn(found) === undefined && wasOurs(managed);
  const misnamed = (managed: Managed, problem: string): ExternalError =>
    invalid(withNameAdvice(managed, problem), { kinds: ['ChooseExternalName'] });
  const checkNameBy = (managed: Managed, check: (name: string) => void): void => {
    try {
      check(nameOf(managed));
    } catch (error) {
      throw misnamed(managed, messageOf(error));
    }
  };

  const markLost = (managed: Managed, name: string): ExternalError => {
    const { claimRef } = managed.spec;
    const statement = markStatement(name, ownerIdOf(managed));
    const before = wasOurs(managed) ? `, but this resource managed a ${kind} of this name` : '';
    const claim = claimRef && ` and ${claimRef.kind} ${claimRef.namespace}/${claimRef.name}`;
    const todo = wasDeleted(managed)
      ? `${clientAdvice.dropHandedOver(quoted(name), statement)}; ${clientAdvice.keepUnmarked}`
      : clientAdvice.handOver(kind, `this resource${claim ?? ''}`, statement, freeIt);
    return new ExternalError(`${kind} ${quoted(name)} has no mark${before}; ${todo}`, {
      errorClass: 'MarkLost',
      advice: { kinds: ['HandOver'] },
    });
  };

  return {
    isOurs,
    isOfOther,
    ownedByAnother: (managed, found) => (isOfOther(managed, found) ? { isOfAnother: true } : undefined),
    checkMayManage(managed, found, adoption = {}) {
      if (isObserver(managed) || isOurs(managed, found)) return;
      const { name } = found;
      const isMarked = markIn(found) !== undefined;
      // guard: otherwise a mark that was lost counts as the mark of another resource, and its remedy as another name
      if (isUnmarked(managed, found)) throw markLost(managed, name);
      const ownerId = ownerIdOf(managed);
      const isFixed = isNameFixed(managed);
      const [message, facts] = notOurs(
        { kind, what: `${kind} ${quoted(name)}`, isMarked, statement: markStatement(name, ownerId) },
        ownerId,
        { ...(!isFixed && { adoption }), isNameFixed: isFixed },
      );
      throw new ExternalError(escaped(message), facts);
    },
    checkExternalName: (managed) => checkNameBy(managed, checkOwnName),
    checkNewExternalName: (managed) => checkNameBy(managed, checkNewName),
    hasUsableName(managed) {
      try {
        checkOwnName(nameOf(managed));
        return true;
      } catch {
        return false;
      }
    },
    checkNotAdministrator(managed, username) {
      if (isObserver(managed) || nameOf(managed) !== username) return;
      throw misnamed(managed, `${kind} ${quoted(username)} is the one that the provider logs in as`);
    },
    markLost,
    observedTaken(managed, found, { holderOf, own = kind }) {
      // guard: otherwise what another resource has is reported as this one's, with a statement that gives it to this one
      if (!wasOurs(managed) || isObserver(managed) || !isOfOther(managed, found)) return undefined;
      const { name } = found;
      const holder = holderOf(markIn(found) ?? '', name)?.what;
      return observedTaken(own, { kind, name: quoted(name), holder });
    },
    checkMarked(managed, found) {
      if (found === undefined || markIn(found) !== undefined) return;
      const { name } = found;
      const statement = markStatement(name, ownerIdOf(managed));
      throw new ExternalError(
        `${kind} ${quoted(name)} has no mark, but this resource managed a ${kind} of this name; ${clientAdvice.dropUnmarked(statement)}; ${clientAdvice.keepUnmarked}`,
        { errorClass: 'Conflict' },
      );
    },
    unmarkedRemains: (managed, found) =>
      isUnmarked(managed, found) ? [`${kind} ${quoted(found.name)}, which has no mark`] : [],
  };
}

/**
 * The observation of something that does not exist any more, and whose name another resource has. Nothing gives it the
 * name back. The message names the other resource, for administrators. `own`: the kind of the external resource.
 */
export function observedTaken(
  own: string,
  taken: { readonly kind: string; readonly name: string; readonly holder: string | undefined },
): Observation<never> {
  const whose = taken.holder ?? 'a resource that is not known here';
  const message = `${taken.kind} ${taken.name} is of ${whose} now, and the ${own} of this resource does not exist any more; ${coreAdvice.createElsewhere}`;
  return { exists: false, isUpToDate: false, taken: message };
}

/** Facts about the adoption of an account for its message: the result of a deletion. */
export const accountAdoption = ({ spec }: Managed): Adoption =>
  shouldDelete(spec)
    ? { consequence: 'kubectl delete of this resource drops it, because its policies allow Delete' }
    : {};

/** The same for the own account of a database. */
export const ownAccountAdoption = ({ spec }: Managed): Adoption =>
  shouldDelete(spec) ? { consequence: 'it is dropped with the database' } : {};

/** The same for a database: the claim that gets the data, the result of a deletion, and `further` consequences. */
export function databaseAdoption({ spec }: Managed, further: readonly string[]): Adoption {
  const { claimRef } = spec;
  const consequences = [
    ...(claimRef === undefined ? [] : [`${describeReference(claimRef)} gets its data`]),
    ...(shouldDelete(spec)
      ? ['kubectl delete of this resource then drops it with its data, because its policies allow Delete']
      : []),
    ...further,
  ];
  return {
    ...(consequences.length > 0 && { consequence: consequences.join('; ') }),
    isReserved: claimRef !== undefined,
  };
}

/** The error of a drop that open sessions block, with the field that ends them. */
export const waitingForSessions = (error: unknown): Error =>
  new Error(`${messageOf(error)}; waiting for them to end; ${clientAdvice.terminateSessions}`, {
    cause: error,
  });
