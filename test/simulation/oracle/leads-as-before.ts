import isEqual from 'lodash/isEqual.js';
import type { Kind, KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { ObservedWorld } from '../invariant.ts';
import { kindOf, providerKinds } from '../kinds.ts';
import { systemOf } from '../workload/inventory.ts';
import { providerOfUser } from './provider-of-user.ts';

const endpointOf = (provider: object): unknown =>
  (provider as { readonly spec?: { readonly endpoint?: unknown } }).spec?.endpoint;

/** Whether a provider leads, and signs, where it did in the beginning; one that was not there then does. */
function leadsAsBefore(
  { scenario }: Pick<ObservedWorld, 'scenario'>,
  kind: Kind,
  provider: Pick<KubernetesObject, 'metadata'>,
): boolean {
  const first = scenario.objects.find(
    (each) => kindOf(each) === kind && each.metadata.name === provider.metadata.name,
  );
  return first === undefined || isEqual(endpointOf(first), endpointOf(provider));
}

/** Whether the provider of a managed resource does. */
export function isLedAsBefore(world: Pick<ObservedWorld, 'scenario' | 'cluster'>, managed: Managed): boolean {
  const [called, name = ''] = providerOfUser(managed).split('/');
  const kind = providerKinds.find(
    (each) => each.kind === called && systemOf(each) === systemOf(kindOf(managed)),
  );
  const provider = kind && world.cluster.find(kind, { name });
  return kind === undefined || provider === undefined || leadsAsBefore(world, kind, provider);
}
