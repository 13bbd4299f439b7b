/*
 *   observe ────────────────▶ check-ownership.ts: is it ours? ──▶ comparison.ts: what differs, what to fill in
 *   create, update, delete ─▶ the same question again  ──▶ the cloud
 */

import type { ReadyFacts } from '../../apis/core/v1alpha1/condition.ts';
import type {
  DetailsIn,
  DetailsOf,
  databaseConnection,
  Publishing,
} from '../../apis/core/v1alpha1/connection-details.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { nameOf, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import type { CloudCollection } from '../../clients/cloud-collection.ts';
import { existsUnshown, isConflicting } from '../../clients/cloud-error.ts';
import type { DatabaseAccess } from '../../clients/database-details.ts';
import { databaseDetails } from '../../clients/database-details.ts';
import { errorFactsOf, invalid } from '../../clients/external-error.ts';
import type { Owner } from '../../clients/ownership-tags.ts';
import { ownerTags, retagged } from '../../clients/ownership-tags.ts';
import type { GeneratedCredential } from '../credential.ts';
import { generateCredential, generatedPassword } from '../credential.ts';
import type {
  DesiredCredential,
  Observation,
  PromptClient,
  ReportedStatus,
} from '../managed/connecting/external-client.ts';
import { howToAllowUpdate, shouldUpdate } from '../management-policies.ts';
import { checkOwnership, ownedByAnother, ownerOf } from './check-ownership.ts';
import type { Actual, Compare, Wanted } from './comparison.ts';
import { notNow, observing, refuse } from './comparison.ts';
import { renamedTo, takenAfterRename } from './renamed.ts';

type Tags = Readonly<Record<string, string>>;

/** A managed resource of a kind with the connection details `databaseConnection`. */
export type ManagedDatabase = Managed & Publishing<DetailsIn<typeof databaseConnection>>;

/** The cloud's answer about a database, in a form that all clouds share. */
export interface ObservedDatabase<M extends Managed> {
  readonly tags: Tags;
  /** Whether its ID is the one in the status: then we own it even if its tags were removed. Default: false. */
  readonly isKnown?: boolean;
  /** The cloud accepts changes only while this is true. Else Synced names the changes that wait, and the message of Ready. */
  readonly isOnline: boolean;
  readonly meaning: Pick<Observation, 'operation'> & { readonly ready: ReadyFacts };
  /** The cloud's values for the fields of `forProvider`. */
  readonly actual: Actual<M>;
  /** Whether the cloud accepted a password that it does not use yet. Absent: it uses a new password at once. */
  readonly isPasswordPending?: boolean;
  /** Absent while it has no address. */
  readonly access?: Omit<DatabaseAccess, 'password'> | undefined;
  /** For the status of the managed resource. */
  readonly status: ReportedStatus<M>;
}

/** The differences between the databases of one cloud and those of another. */
export interface NamedByUs<M extends Managed, Database, New, Change> {
  /** All databases, or only those of one place, such as the region of the managed resource. */
  readonly databases:
    | CloudCollection<Database, New, Change>
    | ((managed: M) => CloudCollection<Database, New, Change>);
  /** For messages: `instance`. */
  readonly noun: string;
  /**
   * The passwords that the cloud accepts. If a managed resource names neither a Secret nor a store, the client generates
   * such a password and does not keep it. Default: `generatedPassword`.
   */
  readonly credential?: Pick<GeneratedCredential, 'length' | 'alphabet'>;
  /**
   * The database that a managed resource asks for. Only here `initProvider` counts. Throws an Error that names missing
   * fields.
   */
  newDatabase(
    managed: M,
    its: { readonly name: string; readonly tags: Tags; readonly password: string },
  ): New;
  observed(managed: M, database: Database): ObservedDatabase<M>;
  /** How `forProvider` differs from what the cloud has: `comparison(kind)`. */
  readonly compare: Compare<M>;
  /** The wanted values of differing fields, in the cloud's form. `seen`: the cloud's answer. */
  change(wanted: Wanted<M>, observed: ObservedDatabase<M>): Change;
  /** The owner in the tags; default `ownerOf`. If tags are labels: `(managed) => labelled(ownerOf(managed))`. */
  readonly owner?: (managed: M) => Owner;
  /** Tags and a password, in the cloud's form. */
  retag(tags: Tags): Change;
  setPassword(password: string): Change;
  /**
   * The change that must come before a deletion, if `forProvider` allows it, such as the end of a protection. Default:
   * none.
   */
  unprotecting?(managed: M, observed: ObservedDatabase<M>): Change | undefined;
  /** Finds a database that a user renamed. Default: the cloud renames none. */
  readonly renaming?: {
    /** The name that the database of the managed resource has now, by an id that does not change. */
    find(managed: M, signal: AbortSignal): Promise<string | undefined>;
    /** The advice that names it back. */
    back(now: string, before: string): string;
  };
}

/**
 * Databases in a cloud that are named by us before they are created, tagged as ours, and reached with the credential of
 * their managed resource, which the cloud never returns. Every change first reads the tags again: another owner may have
 * created a database of that name since the observation.
 */
export function namedByUs<M extends ManagedDatabase, Database, New extends object, Change extends object>(
  adapter: NamedByUs<M, Database, New, Change>,
): PromptClient<M> {
  const { noun, credential: accepted = generatedPassword, owner = ownerOf } = adapter;
  const databasesOf = (managed: M): CloudCollection<Database, New, Change> =>
    typeof adapter.databases === 'function' ? adapter.databases(managed) : adapter.databases;

  /** The cloud's answer about a resource that we own; throws like `checkOwnership`. */
  const ours = (managed: M, database: Database): ObservedDatabase<M> | undefined => {
    const observed = adapter.observed(managed, database);
    const candidate = {
      what: `${noun} "${nameOf(managed)}"`,
      tags: observed.tags,
      isKnown: observed.isKnown,
    };
    return checkOwnership(managed, candidate, owner(managed)) === 'ours' ? observed : undefined;
  };
  const find = async (managed: M, signal: AbortSignal): Promise<ObservedDatabase<M> | undefined> => {
    const database = await databasesOf(managed).get(nameOf(managed), signal);
    return database === undefined ? undefined : ours(managed, database);
  };
  /** Where a database is that was not found: under another name, or nowhere. */
  const whereNow = async (
    managed: M,
    signal: AbortSignal,
  ): Promise<Pick<Observation, 'renamed' | 'newName' | 'remains'>> => {
    const { renaming } = adapter;
    if (renaming === undefined) return {};
    const find = () => renaming.find(managed, signal);
    if (wasDeleted(managed)) {
      const now = await find();
      return now === undefined ? {} : { remains: `${noun} "${now}", which was renamed` };
    }
    return renamedTo(managed, find, (now) => ({
      sentence: `${noun} "${nameOf(managed)}" was renamed to "${now}"; ${renaming.back(now, nameOf(managed))}`,
      beside: `${noun} "${now}" keeps the data`,
    }));
  };
  /** The own database, if another one has its name. Throws the conflict if a user renamed none. */
  const besideAnother = async (
    managed: M,
    conflict: unknown,
    signal: AbortSignal,
  ): Promise<Observation<never>> => {
    const { renaming } = adapter;
    if (renaming === undefined || errorFactsOf(conflict)?.holder === undefined) throw conflict;
    const taken = await takenAfterRename(managed, () => renaming.find(managed, signal), {
      whose: `another ${noun} has the name "${nameOf(managed)}" now`,
      own: noun,
    });
    if (taken === undefined) throw conflict;
    return taken;
  };
  /** The changes to a resource that we own, with tags, and the differences that cannot be changed. */
  const differenceOf = (managed: M, observed: ObservedDatabase<M>) => {
    const { actual, tags } = observed;
    const compared = adapter.compare(managed, actual);
    const change = adapter.change(compared.change, observed);
    const wantedTags = retagged(tags, owner(managed), Object.keys(change).length > 0);
    return { ...compared, change: { ...change, ...(wantedTags && adapter.retag(wantedTags)) } };
  };

  const observationOf = (
    managed: M,
    credential: DesiredCredential | undefined,
    observed: ObservedDatabase<M>,
  ): Observation<M> => {
    const { isOnline, meaning, status } = observed;
    const { change, ...compared } = differenceOf(managed, observed);
    return {
      ...(isOnline ? observing(compared, Object.keys(change)) : notNow(compared, meaning, noun)),
      exists: true,
      ...meaning,
      ...verdictOn(credential, observed),
      ...detailsOf<M>(observed, credential),
      ...ownedByAnother(managed, observed.tags, owner(managed)),
      status,
    };
  };

  return {
    async observe(managed, credential, signal) {
      try {
        const observed = await find(managed, signal);
        if (observed !== undefined) return observationOf(managed, credential, observed);
        return { exists: false, isUpToDate: false, ...(await whereNow(managed, signal)) };
      } catch (error) {
        return besideAnother(managed, error, signal);
      }
    },

    async create(managed, credential, signal) {
      const name = nameOf(managed);
      const password = credential?.value ?? generateCredential(accepted);
      const wanted = adapter.newDatabase(managed, { name, tags: ownerTags(owner(managed)), password });
      const databases = databasesOf(managed);
      try {
        const created = await databases.create(wanted, signal);
        return detailsOf(adapter.observed(managed, created), credential);
      } catch (error) {
        if (!isConflicting(error)) throw error;
        const existing = await databases.get(name, signal);
        if (existing === undefined) throw existsUnshown(error);
        ours(managed, existing);
        return { isExisting: true };
      }
    },

    async update(managed, credential, signal) {
      const name = nameOf(managed);
      const observed = await find(managed, signal);
      if (observed === undefined) throw new Error(`${noun} "${name}" does not exist any more`);
      const update = async (change: Change): Promise<ObservedDatabase<M>> =>
        adapter.observed(managed, await databasesOf(managed).update(name, change, signal));
      if (credential !== undefined && !credential.isApplied) {
        // The password is sent in a call of its own, so that a refused change of another field does not block it. The
        // other changes follow.
        const changed = await update(adapter.setPassword(credential.value));
        return {
          ...detailsOf<M>(changed, credential),
          ...(changed.isPasswordPending !== undefined && { isCredentialPending: true }),
        };
      }
      const { change, refused, drifted } = differenceOf(managed, observed);
      const changed = Object.keys(change).length === 0 ? observed : await update(change);
      refuse({ refused, drifted });
      return detailsOf(changed, credential);
    },

    async delete(managed, signal) {
      const observed = await find(managed, signal);
      if (observed === undefined) return;
      const [databases, name] = [databasesOf(managed), nameOf(managed)];
      const first = adapter.unprotecting?.(managed, observed);
      if (first !== undefined) {
        // guard: otherwise it removes the protection although policies forbid Update
        if (!shouldUpdate(managed.spec)) throw invalid(staysProtected(noun, managed));
        await databases.update(name, first, signal);
      }
      await databases.delete(name, signal);
    },
  };
}

/** Whether the cloud uses the credential. Some clouds accept a password and use it later. */
function verdictOn(
  credential: DesiredCredential | undefined,
  { isPasswordPending }: Pick<ObservedDatabase<Managed>, 'isPasswordPending'>,
): Pick<Observation, 'credential'> {
  if (credential?.isApplied !== true || isPasswordPending === undefined) return {};
  return { credential: isPasswordPending ? 'pending' : 'inForce' };
}

/** Its connection details; none before it has an address. */
const detailsOf = <M extends ManagedDatabase>(
  { access }: Pick<ObservedDatabase<Managed>, 'access'>,
  credential: DesiredCredential | undefined,
): Pick<Observation<M>, 'details'> =>
  access === undefined
    ? {}
    : { details: databaseDetails({ ...access, password: credential?.value }) as DetailsOf<M> };

const staysProtected = (noun: string, managed: Managed): string =>
  `${noun} "${nameOf(managed)}" is protected against deletion, and spec.managementPolicies do not allow Update to remove the protection; ${howToAllowUpdate(managed.spec)}`;
