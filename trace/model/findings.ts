import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import type { Kind, KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { Namespace } from '../../apis/core/v1alpha1/namespace.ts';
import type { Provider, ProviderConfig } from '../../apis/core/v1alpha1/provider.ts';
import type { SecretKeySelector } from '../../apis/core/v1alpha1/reference.ts';
import type { SecretKey } from '../../apis/core/v1alpha1/secret.ts';
import { isNamesake } from '../../controllers/claim/ownership.ts';
import type { PreviousResources } from '../../controllers/claim/previous-resources.ts';
import { returnableFor } from '../../controllers/claim/previous-resources.ts';
import { serviceOf } from '../../controllers/claim-binding/service-of.ts';
import type { ClaimService } from '../../controllers/claim-service.ts';
import type { ManagedService } from '../../controllers/managed/setup.ts';
import type { ProviderName } from '../../controllers/provider/provider-choice.ts';
import type { ProviderKinds } from '../../controllers/provider/provider-credentials.ts';
import type { CoreEvent } from '../../runtime/events/event-kind.ts';
import type { Lease } from '../../runtime/process/lease.ts';
import type { KnownKind } from '../catalogue.ts';
import type { HiddenSecret } from './hidden-secret.ts';

/**
 * The result of reading an object.
 * - `absent`: it does not exist.
 * - `withheld`: the user may not read it.
 * - `unsought`: no other object names it, or the source cannot have it.
 */
export type Found<T> =
  | { readonly is: 'there'; readonly value: T }
  | { readonly is: 'absent' }
  | { readonly is: 'withheld' }
  | { readonly is: 'unsought' };

export const unsought = { is: 'unsought' } as const;

export const thereOf = <T>(found: Found<T>): T | undefined =>
  found.is === 'there' ? found.value : undefined;

/** The classes of one kind that a claim can get. */
interface FoundClasses {
  readonly service: ClaimService;
  readonly classes: Found<readonly Class[]>;
}

/** The last run of a controller over an object. Only its own process knows it. */
export interface LastRun {
  readonly at: Date;
  readonly decision?: string;
  /** How many runs in a row have failed. */
  readonly failures: number;
  /** The latest time of the next run. */
  readonly nextAt?: Date;
}

/** A Secret that an object names. */
export interface FoundSecret {
  readonly key: SecretKey;
  readonly secret: Found<HiddenSecret>;
}

/** An object that does not exist, and the existing objects of its kind. */
export interface SoughtInVain {
  readonly key: ObjectKey;
  readonly there: readonly ObjectKey[];
  /** Its namespace does not exist either. */
  readonly isNamespaceAbsent: boolean;
}

/** The parts of the credentials of a kind of provider. */
export type NeededCredentials = Pick<ProviderKinds, 'credentialEntries' | 'credentialForm'>;

/** All that was read about one object and the objects connected to it. It has no value of a Secret. */
export interface Findings {
  readonly now: Date;
  readonly subject: { readonly known: KnownKind; readonly key: ObjectKey };
  /** The traced claim, or the claim of the managed resource. */
  readonly claim: Found<Claim>;
  /** The claim's namespace, if a class or resource that it can get selects namespaces, or a kept one waits for it. */
  readonly namespace: Found<Namespace>;
  /** Every service of the claim's kind. */
  readonly services: readonly ClaimService[];
  readonly classes: readonly FoundClasses[];
  /** The traced class, or the class in the `classRef` of the claim or of the managed resource. */
  readonly resourceClass: Found<Class>;
  /** The traced managed resource, or the claim's resource. */
  readonly managed: Found<Managed>;
  /** The resource in the claim's `resourceRef`. */
  readonly named: Found<Managed>;
  /** The managed resources that the claim owns, those that are Bound first. */
  readonly owned: Found<readonly Managed[]>;
  /** The resources of previous claims of the same kind, namespace and name. */
  readonly previousResources?: PreviousResources | undefined;
  readonly managedService?: ManagedService | undefined;
  readonly providerName?: (ProviderName & NeededCredentials & { readonly kindOf: Kind }) | undefined;
  readonly provider: Found<Provider | ProviderConfig>;
  readonly credentials?: FoundSecret | undefined;
  /** The managed resource's connection Secret. */
  readonly source?: FoundSecret | undefined;
  /** The claim's connection Secret. */
  readonly target?: FoundSecret | undefined;
  /** For a class or provider: the managed resources that use it. */
  readonly users: Found<readonly Managed[]>;
  /** The traced object, if it does not exist. */
  readonly inVain?: SoughtInVain | undefined;
  /** The lease of the leader election; absent: no process uses one. */
  readonly lease: Found<Lease>;
  readonly events: readonly CoreEvent[];
  /** The user may not read some Events. */
  readonly areEventsWithheld: boolean;
  readonly runs?: ((object: KubernetesObject) => LastRun | undefined) | undefined;
}

/** The resource that a claim can take back. */
export function returnableOf(
  services: readonly ClaimService[],
  claim: Claim,
  owned: readonly Managed[],
  { returnable }: PreviousResources,
): Managed | undefined {
  const service = serviceOf(services, claim, owned);
  return service && returnableFor(service, claim, owned, returnable);
}

/** The traced object. */
export const ownOf = ({
  subject,
  claim,
  managed,
  resourceClass,
  provider,
}: Findings): Found<Claim | Managed | Class | Provider | ProviderConfig> =>
  ({ claim, managed, class: resourceClass, provider })[subject.known.sort];

/** The traced claim, or the claim of the traced resource: not a claim that only has the name in its `claimRef`. */
export function claimOf({ subject, claim, managed }: Pick<Findings, 'subject' | 'claim' | 'managed'>) {
  const [found, resource] = [thereOf(claim), thereOf(managed)];
  const isOther = subject.known.sort !== 'claim' && found && resource && isNamesake(resource, found);
  return isOther ? undefined : found;
}

/** The Secret and the entry with the credentials of the provider; undefined: they are not in a Secret. */
export function credentialsKeyOf({ provider }: Pick<Findings, 'provider'>): SecretKeySelector | undefined {
  const spec = thereOf(provider)?.spec;
  if (spec === undefined || !('credentials' in spec)) return (spec as Provider['spec'])?.credentialsSecretRef;
  return spec.credentials.source === 'Secret' ? spec.credentials.secretRef : undefined;
}
