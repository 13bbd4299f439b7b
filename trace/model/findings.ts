import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import type { Kind, KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { Namespace } from '../../apis/core/v1alpha1/namespace.ts';
import type { Provider, ProviderConfig } from '../../apis/core/v1alpha1/provider.ts';
import type { SecretKey } from '../../apis/core/v1alpha1/secret.ts';
import type { SecretFacts } from '../../controllers/core/claim-binding/decision.ts';
import type { ClaimService } from '../../controllers/core/claim-service.ts';
import type { CredentialDecision } from '../../controllers/core/managed/run/decide-credential.ts';
import type { ManagedService } from '../../controllers/core/managed/setup.ts';
import type { ProviderName } from '../../controllers/core/provider/provider-choice.ts';
import type { PropagationDecision } from '../../controllers/core/secret-propagation/decide.ts';
import type { CoreEvent } from '../../runtime/events/event-recorder.ts';
import type { Lease } from '../../runtime/process/leader-election.ts';
import type { KnownKind } from '../catalogue.ts';
import type { HiddenSecret } from './hidden-secret.ts';

/**
 * What looking for something came to.
 * - `absent`: the API server says that there is none.
 * - `withheld`: whoever looks may not read it.
 * - `unsought`: nothing names it, or nobody can look here.
 */
export type Found<T> =
  | { readonly is: 'there'; readonly value: T }
  | { readonly is: 'absent' }
  | { readonly is: 'withheld' }
  | { readonly is: 'unsought' };

/** Nobody looked for it. */
export const unsought = { is: 'unsought' } as const;

/** What was found, if it is there. */
export const thereOf = <T>(found: Found<T>): T | undefined =>
  found.is === 'there' ? found.value : undefined;

/** Classes of one kind that a claim might be given. */
export interface FoundClasses {
  readonly service: ClaimService;
  readonly classes: Found<readonly Class[]>;
}

/** What a process remembers of its last run over an object. Whoever reads from outside knows nothing of it. */
export interface LastRun {
  readonly at: Date;
  readonly decision?: string;
  /** How many runs in a row have failed. */
  readonly failures: number;
  /** When it comes back by itself. */
  readonly nextAt?: Date;
}

/** A secret that something names, and what was found there. */
export interface FoundSecret {
  readonly key: SecretKey;
  readonly secret: Found<HiddenSecret>;
}

/** The decisions of the controllers that depend on the values of Secrets. */
export interface DecidedOnValues {
  /** False: the credential is in a Secret that may not be read, or in a secret store. */
  readonly isCredentialKnown: boolean;
  /** The credential decision of the managed resource's controller; undefined: unknown. */
  readonly credential?: CredentialDecision | undefined;
  /** The facts that binding decides on, without values. Of the claim's Secrets it has only the one that the claim names. */
  readonly secrets?: SecretFacts;
  readonly propagation?:
    | { readonly name: PropagationDecision['name']; readonly message?: string }
    | undefined;
}

/** An object that there is not, and what there is of its kind. */
export interface SoughtInVain {
  readonly key: ObjectKey;
  readonly there: readonly ObjectKey[];
  /** Its namespace is not there either. */
  readonly isNamespaceAbsent: boolean;
}

/** Who may have what has the external name of a managed resource already. */
export interface Holding {
  /** Whom its mark names; absent where a mark tells nobody. */
  readonly marked?: { readonly kind: Kind; readonly name: string };
  /** The one that it names, if it is there; or else those of the stack that have the same external name. */
  readonly holders: Found<readonly Managed[]>;
}

/** Everything that was read about one object, and what it hangs together with. No secret's value is among it. */
export interface Findings {
  readonly now: Date;
  readonly subject: { readonly known: KnownKind; readonly key: ObjectKey };
  /** The claim that is looked at, or that the managed resource is for. */
  readonly claim: Found<Claim>;
  /** The claim's, where something that it might be given selects namespaces. */
  readonly namespace: Found<Namespace>;
  /** Every service of the claim's kind. */
  readonly services: readonly ClaimService[];
  readonly classes: readonly FoundClasses[];
  /** What the claim's, or else the managed resource's, `classRef` names; or the class that is looked at. */
  readonly resourceClass: Found<Class>;
  /** The claim's resource, or the managed resource that is looked at. */
  readonly managed: Found<Managed>;
  /** What `resourceRef` of the claim names. */
  readonly named: Found<Managed>;
  /** The managed resources that the claim owns, those that are Bound first. */
  readonly owned: Found<readonly Managed[]>;
  readonly managedService?: ManagedService | undefined;
  /** Where something else has the managed resource's external name: whose that may be. */
  readonly holding?: Holding | undefined;
  /** What the managed resource's references may lead to, by kind. */
  readonly referenced: readonly {
    readonly kind: Kind<Managed>;
    readonly objects: Found<readonly Managed[]>;
  }[];
  /** With the entries of its secret, where its kind has them in several. */
  readonly providerName?:
    | (ProviderName & { readonly kindOf: Kind; readonly credentialEntries?: readonly string[] | undefined })
    | undefined;
  readonly provider: Found<Provider | ProviderConfig>;
  readonly credentials?: FoundSecret | undefined;
  /** The other providers, of all stacks, and the StoreConfigs, that have theirs from the same secret. */
  readonly sharing?: Found<readonly KubernetesObject[]> | undefined;
  /** The managed resource's connection secret. */
  readonly source?: FoundSecret | undefined;
  /** The claim's. */
  readonly target?: FoundSecret | undefined;
  /** Of a claim or managed resource. */
  readonly decided?: DecidedOnValues | undefined;
  /** Of a class or provider: the managed resources that use it. */
  readonly users: Found<readonly Managed[]>;
  /** What is asked about, or else the managed resource or the provider that it names, where there is none. */
  readonly inVain?: SoughtInVain | undefined;
  /** By which one process leads; absent where none does, and where nobody uses one. */
  readonly lease: Found<Lease>;
  readonly events: readonly CoreEvent[];
  /** Whether all Events could be read. */
  readonly areEventsWithheld: boolean;
  readonly runs?: ((object: KubernetesObject) => LastRun | undefined) | undefined;
}
