import compact from 'lodash/compact.js';
import isEmpty from 'lodash/isEmpty.js';
import sum from 'lodash/sum.js';
import type { ReadyFacts } from '../../apis/core/v1alpha1/condition.ts';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import {
  finalizerNames,
  wasDeleted,
  withFinalizer,
  withoutFinalizer,
} from '../../apis/core/v1alpha1/meta.ts';
import { annotate, isNotFound } from '../../runtime/client/errors.ts';
import type { ControllerSpec } from '../../runtime/controller/controller-spec.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import type { Result } from '../../runtime/controller/reconcile.ts';
import { after, done } from '../../runtime/controller/reconcile.ts';
import { anyOf, appears, changed, disappears, paced, triggersIn } from '../../runtime/controller/triggers.ts';
import type { EventFacts } from '../../runtime/events/event-facts.ts';
import { warning } from '../../runtime/events/event-facts.ts';
import { controllerNames, eventSources } from '../claim-service.ts';
import { isNewUser } from '../new-user.ts';
import { conclude } from '../outcome.ts';
import type { UsedObject, UserCounts } from './decide.ts';
import { decideInUse, terminating, userCounts, withUsers } from './decide.ts';

/** The fields that a report adds to the status of a used object. */
export interface UsedReport {
  /** Absent if the Ready condition does not change. */
  readonly ready?: ReadyFacts;
  readonly systemVersion?: string;
  /** The Event for an object that does not work. It is recorded again at later runs, until the object works. */
  readonly event?: EventFacts;
  /** The time until the next run, if no event triggers it earlier. */
  readonly againMs?: number;
}

export interface InUseOptions<U extends UsedObject> {
  /** Every managed kind that can use objects of this kind. */
  readonly managed: readonly Kind<Managed>[];
  /** The name of the object of this kind that a managed resource uses. Undefined if it uses none. */
  readonly usedBy: (managed: Managed) => string | undefined;
  /** Reports more in the status, such as Ready. Without this function, the status has only the users. */
  readonly report?: (used: U, users: readonly Managed[], signal: AbortSignal) => Promise<UsedReport>;
  /** Called after the object was deleted. */
  readonly forget?: (name: string) => void;
}

/** The users of an object. `message`: why it cannot be deleted yet. */
interface Usage {
  readonly counts: UserCounts;
  /** Those of the kinds that this process serves. */
  readonly users: readonly Managed[];
  readonly message: string | undefined;
}

/** The first user wakes at once: the object gets its finalizer. In a burst, users are counted once in this time. */
const countEveryMs = 1_000;

/**
 * Protects a Provider, ProviderConfig or StoreConfig while managed resources use it, and counts them in `status.users`.
 * The informer caches show the users, so there are no ProviderConfigUsage objects (docs/decisions/0003). A process that
 * serves other kinds counts those: each kind has its number.
 */
export function inUseController<U extends UsedObject>(
  env: Environment,
  kind: Kind<U>,
  { managed, usedBy, report, forget }: InUseOptions<U>,
): ControllerSpec {
  const events = env.events.from(eventSources.used(kind));
  const objects = env.resource(kind);
  const userKinds = managed.map((each) => ({ kind: each, store: env.resource(each).store }));
  const stores = userKinds.map(({ store }) => store);
  const byName = `users of ${kind.kind}`;
  const namesOf = (object: Managed): readonly string[] => compact([usedBy(object)]);
  for (const store of stores) store.addIndex(byName, namesOf);

  const usersOf = (used: U) =>
    userKinds.map((each) => ({
      kind: each.kind,
      users: each.store.byIndex(byName, used.metadata.name).filter((user) => !isNewUser(user, used)),
    }));

  /** Before the finalizer changes: a process that serves other kinds decides by the counts, and would undo the change. */
  async function writeCounts(used: U, counts: UserCounts, signal: AbortSignal): Promise<U> {
    const counted = withUsers(used, counts, [], env.clock.now());
    const writing = objects.updateStatus(used, counted, signal).catch((error: unknown) => {
      if (isNotFound(error)) return used; // an old definition of the kind has no status
      throw error;
    });
    return annotate(`cannot update ${kind.kind} status`, writing);
  }

  async function writeStatus(
    used: U,
    { counts, users, message }: Usage,
    signal: AbortSignal,
  ): Promise<Result> {
    // A process without users would report about calls that it does not make.
    const isCaller = users.length > 0 || (isEmpty(counts) && !kind.isOfAnotherStack);
    const called: UsedReport = (isCaller ? await report?.(used, users, signal) : undefined) ?? {};
    const { againMs } = called;
    const isReporter = !kind.isOfAnotherStack || users.length === sum(Object.values(counts));
    // guard: otherwise two processes write Ready in turn, each the result of its own calls
    const { ready, systemVersion, event }: UsedReport = isReporter ? called : {};
    const facts = compact([ready, message === undefined ? undefined : terminating(message)]);
    const counted = withUsers(used, counts, facts, env.clock.now());
    const desired =
      systemVersion === undefined ? counted : { ...counted, status: { ...counted.status, systemVersion } };
    const usage = message && warning('UsageAccounting', message);
    const audience = {
      objects,
      what: kind.kind,
      mayLackStatus: true as const,
      record: (of: U, each: EventFacts) => events.record(of, each),
    };
    await conclude(audience, used, { desired, events: compact([usage, event]) }, signal);
    return againMs === undefined ? done : after(againMs);
  }

  const wokenBy = triggersIn(env);
  return {
    name: controllerNames.used(kind),
    sort: 'in use',
    objects: objects.store,
    triggers: [
      wokenBy(objects.store).writtenByOthers().itself('it changed'),
      paced(
        wokenBy(...stores)
          .when(anyOf(appears, disappears, changed(namesOf)))
          .throughBoth(
            (object) => compact(namesOf(object).map((name) => objects.get({ name }))),
            'it gained or lost a user',
          ),
        countEveryMs,
        env.clock,
      ),
    ],
    async reconcile(request, signal) {
      const used = objects.get(request);
      if (used === undefined) {
        forget?.(request.name);
        return done;
      }
      const own = usersOf(used);
      const counts = userCounts(used, own);
      const { name, message } = decideInUse(used, counts, own);
      let current = used;
      if (name === 'AddFinalizer' || name === 'RemoveFinalizer') {
        if (!wasDeleted(used)) current = await writeCounts(used, counts, signal);
        const withOrWithout = name === 'AddFinalizer' ? withFinalizer : withoutFinalizer;
        const desired = withOrWithout(current, finalizerNames.inUse);
        current = await annotate(`cannot update ${kind.kind}`, objects.update(current, desired, signal));
        if (wasDeleted(used)) return { ...done, decision: name };
      }
      const users = own.flatMap((each) => each.users);
      return { ...(await writeStatus(current, { counts, users, message }, signal)), decision: name };
    },
  };
}
