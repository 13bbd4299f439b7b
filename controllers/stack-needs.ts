import partition from 'lodash/partition.js';
import type { Observable } from 'rxjs';
import { defer, EMPTY, forkJoin } from 'rxjs';
import type { Kind, KubernetesObject } from '../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../apis/core/v1alpha1/kind.ts';
import type { Resource } from '../runtime/cache/resource.ts';
import type { Environment } from '../runtime/controller/environment.ts';
import type { StackNeeds } from '../runtime/controller/stack-needs.ts';
import type { ClaimService } from './claim-service.ts';

/** The resources that were requested from an environment, by the keys of their kinds. */
type Requested = ReadonlyMap<string, Resource<KubernetesObject>>;

/** The same environment, which adds each requested resource to `resources`. */
export function recordingEnvironment(env: Environment): {
  readonly env: Environment;
  readonly resources: Requested;
} {
  const resources = new Map<string, Resource<KubernetesObject>>();
  const resource: Environment['resource'] = (kind, selection) => {
    const found = env.resource(kind, selection);
    resources.set(kindKey(kind), found as unknown as Resource<KubernetesObject>);
    return found;
  };
  return { env: { ...env, resource }, resources };
}

/** A stack after it requested its kinds. */
export interface StackKinds {
  readonly name: string;
  readonly managed: readonly {
    readonly kind: Kind;
    readonly providers: { readonly provider: Kind; readonly providerConfig: Kind };
  }[];
  readonly claims: readonly ClaimService[];
  readonly resources: Requested;
}

const servedBy = ({ managed, claims }: StackKinds): readonly string[] =>
  [
    ...managed.flatMap(({ kind, providers }) => [kind, providers.provider, providers.providerConfig]),
    ...claims.flatMap((service) => [service.claim, service.class, service.managed]),
  ].map(kindKey);

/** The needs of a stack, and whether the caches have all objects of its own kinds: then it is ready. */
export interface ObservedNeeds extends StackNeeds {
  isReady(): boolean;
  /** Emits when it becomes ready after the subscription. */
  readonly becomesReady$: Observable<unknown>;
}

/**
 * The kinds that a stack needs before it works.
 * - `own`: the requested kinds, without those that only other stacks serve.
 * - `others`: the requested kinds that only other stacks serve.
 */
export function stackNeeds(stack: StackKinds, all: readonly StackKinds[]): ObservedNeeds {
  const served = new Set(servedBy(stack));
  const otherKinds = new Set(all.flatMap(servedBy).filter((kind) => !served.has(kind)));
  const [others, own] = partition([...stack.resources], ([kind]) => otherKinds.has(kind));
  const stores = own.map(([, { store }]) => store);
  const isReady = () => stores.every(({ isSynced }) => isSynced);
  return {
    name: stack.name,
    own: own.map(([kind]) => kind),
    others: others.map(([kind]) => kind),
    isReady,
    becomesReady$: defer(() => (isReady() ? EMPTY : forkJoin(stores.map(({ synced$ }) => synced$)))),
  };
}
