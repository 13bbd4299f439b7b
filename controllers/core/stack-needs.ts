import intersection from 'lodash/intersection.js';
import uniq from 'lodash/uniq.js';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../../apis/core/v1alpha1/kind.ts';
import type { Resource } from '../../runtime/cache/resource.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import type { StackNeeds } from '../../runtime/controller/stack-needs.ts';
import type { ClaimService } from './claim-service.ts';

/** An environment, and the kinds that controllers have requested from it. */
export interface NotedKinds {
  readonly env: Environment;
  readonly resources: ReadonlyMap<string, Resource<KubernetesObject>>;
}

export function notingKinds(env: Environment): NotedKinds {
  const resources = new Map<string, Resource<KubernetesObject>>();
  const resource: Environment['resource'] = (kind, selection) => {
    const found = env.resource(kind, selection);
    resources.set(kindKey(kind), found as unknown as Resource<KubernetesObject>);
    return found;
  };
  return { env: { ...env, resource }, resources };
}

export interface MadeStack {
  readonly name: string;
  readonly managed: readonly {
    readonly kind: Kind;
    readonly providers: { readonly provider: Kind; readonly providerConfig: Kind };
  }[];
  readonly claims: readonly ClaimService[];
  readonly asked: NotedKinds;
}

const servedBy = ({ managed, claims }: MadeStack): readonly string[] =>
  [
    ...managed.flatMap(({ kind, providers }) => [kind, providers.provider, providers.providerConfig]),
    ...claims.flatMap((service) => [service.claim, service.class, service.managed]),
  ].map(kindKey);

const claimsOf = ({ claims }: MadeStack): readonly string[] => claims.map(({ claim }) => kindKey(claim));

/** Whether two stacks serve the same claim kind. If so, a claim of that kind can get a class of either stack. */
const sharesClaims = (one: MadeStack, other: MadeStack): boolean =>
  intersection(claimsOf(one), claimsOf(other)).length > 0;

/**
 * The kinds that a stack needs before it runs. Its peers are the stacks that serve a claim kind of this stack.
 * - `own`: the kinds that its controllers request, without those that only other stacks serve.
 * - `others`: requested kinds that only other stacks serve, and the own kinds of its peers: a claim can get a class of
 *   any peer, and all processes must choose the same class.
 * - `isListed`: whether the cache has all objects of the own kinds.
 */
export function stackNeeds(
  stack: MadeStack,
  all: readonly MadeStack[],
): StackNeeds & { readonly isListed: () => boolean } {
  const askedBy = ({ asked }: MadeStack): readonly string[] => [...asked.resources.keys()];
  const ownOf = (made: MadeStack): readonly string[] => {
    const served = new Set(servedBy(made));
    const ofOthers = new Set(all.flatMap(servedBy).filter((kind) => !served.has(kind)));
    return askedBy(made).filter((kind) => !ofOthers.has(kind));
  };
  const ownKinds = new Set(ownOf(stack));
  const own = [...stack.asked.resources].filter(([kind]) => ownKinds.has(kind));
  const peers = all.filter((made) => made !== stack && sharesClaims(made, stack));
  return {
    name: stack.name,
    own: [...ownKinds],
    others: uniq([...askedBy(stack), ...peers.flatMap(ownOf)]).filter((kind) => !ownKinds.has(kind)),
    isListed: () => own.every(([, { store }]) => store.isSynced),
  };
}
