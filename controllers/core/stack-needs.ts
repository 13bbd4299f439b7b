import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../../apis/core/v1alpha1/kind.ts';
import type { Resource } from '../../runtime/cache/resource.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import type { StackNeeds } from '../../runtime/controller/stack-needs.ts';
import type { ClaimService } from './claim-service.ts';

/** An environment, and the kinds that have been asked for through it. */
export interface NotedKinds {
  readonly env: Environment;
  readonly resources: ReadonlyMap<string, Resource<KubernetesObject>>;
}

/** Notes which kinds are asked for, so that nobody has to list what a controller reads. */
export function notingKinds(env: Environment): NotedKinds {
  const resources = new Map<string, Resource<KubernetesObject>>();
  const resource: Environment['resource'] = (kind, selection) => {
    const found = env.resource(kind, selection);
    resources.set(kindKey(kind), found as unknown as Resource<KubernetesObject>);
    return found;
  };
  return { env: { ...env, resource }, resources };
}

/** A stack whose controllers have been made. */
export interface MadeStack {
  readonly name: string;
  readonly managed: readonly {
    readonly kind: Kind;
    readonly providers: { readonly provider: Kind; readonly providerConfig: Kind };
  }[];
  readonly claims: readonly ClaimService[];
  readonly asked: NotedKinds;
}

/** The kinds that a stack serves, by their keys. */
const servedBy = ({ managed, claims }: MadeStack): readonly string[] =>
  [
    ...managed.flatMap(({ kind, providers }) => [kind, providers.provider, providers.providerConfig]),
    ...claims.flatMap((service) => [service.claim, service.class, service.managed]),
  ].map(kindKey);

/**
 * What a stack needs before it may run: all that its controllers ask for. Of that, what only other stacks serve (classes
 * and managed resources of its peers, what it refers to) need not be there: if there is no such kind, there is nothing
 * of it to miss. `isListed`: all the rest is there, so that the stack works.
 */
export function stackNeeds(
  stack: MadeStack,
  all: readonly MadeStack[],
): StackNeeds & { readonly isListed: () => boolean } {
  const served = new Set(servedBy(stack));
  const ofOthers = new Set(all.flatMap(servedBy).filter((kind) => !served.has(kind)));
  const asked = [...stack.asked.resources];
  const own = asked.filter(([kind]) => !ofOthers.has(kind));
  return {
    name: stack.name,
    own: own.map(([kind]) => kind),
    others: asked.map(([kind]) => kind).filter((kind) => ofOthers.has(kind)),
    isListed: () => own.every(([, { store }]) => store.isSynced),
  };
}
