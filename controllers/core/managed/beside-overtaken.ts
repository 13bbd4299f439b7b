import { objectKey } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { Resource } from '../../../runtime/cache/resource.ts';
import { annotate, changedSinceRead } from '../../../runtime/client/errors.ts';
import type { Reconciler, Result } from '../../../runtime/controller/reconcile.ts';
import { after, done, requeue } from '../../../runtime/controller/reconcile.ts';
import type { ConnectionPublisher } from '../connection/connection-publisher.ts';
import { decideOvertaken } from './decide.ts';
import type { IdentityContext } from './identity.ts';
import { isOneExternal } from './identity.ts';
import type { Overtaken } from './overtaken.ts';

export interface BesideOvertakenOptions {
  /** Reconciles what has the name. */
  readonly itself: Reconciler;
  /** Reconciles what had the name and was overtaken, as one that is being deleted. */
  readonly left: Reconciler;
  readonly overtaken: Pick<Overtaken, 'of' | 'see' | 'forget'>;
  readonly identity: IdentityContext;
  readonly managedResources: Pick<Resource<Managed>, 'get' | 'find'>;
  readonly publisher: Pick<ConnectionPublisher, 'unpublish'>;
}

/**
 * Reconciles a managed resource and, if there was one of its name that was overtaken, that one too, after it: in one run, so
 * that nothing is deleted outside while somebody takes it up. The API server is asked before anything is. What was published
 * for the one goes before the other publishes to the same place, unless both stand for one thing.
 */
export function besideOvertaken(options: BesideOvertakenOptions): Reconciler {
  const { itself, left, overtaken, identity, managedResources, publisher } = options;

  return async (request, signal, log) => {
    const found = managedResources.get(request);
    if (found !== undefined) overtaken.see(found);
    const gone = overtaken.of(request);
    if (gone === undefined) return itself(request, signal, log);
    if (found !== undefined && isOneExternal(identity, gone, found) === false) {
      await annotate('cannot remove what was published for it', publisher.unpublish(gone, signal));
    }
    const own = found && (await itself(request, signal, log));
    const finding = managedResources.find(objectKey(request), signal);
    const heir = await annotate('cannot get managed resource', finding);
    const { name, act } = decideOvertaken(gone, heir, identity);
    log.info('managed resource was deleted while its finalizer was written', { decision: name });
    switch (act) {
      case 'wait':
        return own ?? { ...requeue, decision: name };
      case 'forget':
        overtaken.forget(gone);
        return own ?? { ...done, decision: name };
      case 'delete': {
        const ended = await left(request, signal, log);
        // Paused or not to be understood, it would wait for an edit for ever.
        if (ended.type === 'done') overtaken.forget(gone);
        const isLast = ended.type !== 'done' || overtaken.of(request) === undefined;
        const result = isLast ? ended : { ...after(0), decision: name };
        return own === undefined ? result : { ...sooner(own, result), decision: own.decision ?? name };
      }
    }
  };
}

export interface FetchLeftOptions {
  readonly overtaken: Pick<Overtaken, 'of'>;
  readonly identity: IdentityContext;
  readonly managedResources: Pick<Resource<Managed>, 'fetch'>;
}

/**
 * The look before what one that was overtaken has left is deleted: it, if the API server says that it is nobody's still.
 * Throws a conflict where another of its name has come while that was looked at: its claim has it made anew.
 */
export const fetchLeft =
  ({ overtaken, identity, managedResources }: FetchLeftOptions): Resource<Managed>['fetch'] =>
  async (key, signal) => {
    const gone = overtaken.of(key);
    if (gone === undefined) return undefined;
    const heir = await managedResources.fetch(key, signal);
    if (decideOvertaken(gone, heir, identity).act !== 'delete') throw changedSinceRead();
    return gone;
  };

/** What brings a key back for both of two. */
function sooner(one: Result, other: Result): Result {
  if (other.type === 'done' || one.type === 'requeue') return one;
  if (one.type === 'done' || other.type === 'requeue') return other;
  return one.delayMs <= other.delayMs ? one : other;
}
