import type { Observable } from 'rxjs';
import type { Claim } from '../apis/core/v1alpha1/claim.ts';
import type { Class } from '../apis/core/v1alpha1/class.ts';
import type { Kind } from '../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../apis/core/v1alpha1/managed.ts';
import type { NameLimits } from '../apis/core/v1alpha1/name-limits.ts';
import type { SecretDetails } from './credential.ts';

type ManagedSpecOf<M extends Managed> = M['spec'];

/** How managed resources of one kind serve claims of one kind. */
export interface ClaimService<C extends Claim = Claim, K extends Class = Class, M extends Managed = Managed> {
  readonly claim: Kind<C>;
  readonly class: Kind<K>;
  readonly managed: Kind<M>;
  /** `assigned`: the external system chooses the external name. Else this product chooses it before the creation. */
  readonly externalNames?: 'deterministic' | 'assigned';
  /** The limits of external names. Absent if the external system accepts any name. */
  readonly names?: NameLimits;
  /** The connection details that are secret. Absent if none are. */
  readonly secretDetails?: SecretDetails;
  /**
   * Returns the managed resource's `forProvider`. Pure. May throw an Error with advice for the claim's author. The class
   * has the values of its `initProvider` in `forProvider`. Those that do not change stay in `initProvider` alone.
   */
  configure(claim: C, resourceClass: K): Pick<ManagedSpecOf<M>, 'forProvider'>;
  /**
   * Checks the result of `configure`. Returns its unknown and wrong fields. For a misspelt `size` it returns
   * `forProvider.sise, which Queue does not have`. Pure. Absent if the schema of the managed kind is not known.
   */
  readonly problemsOf?: (
    configured: Pick<ManagedSpecOf<Managed>, 'forProvider'>,
    claim: Claim,
    resourceClass: Class,
  ) => readonly string[];
  /**
   * Returns why a class or managed resource cannot serve the claim, or undefined if it can. Pure. `offered` is its
   * `forProvider`, completed from `initProvider`, and for a managed resource then from the status. Without this method,
   * every class and resource can serve the claim.
   */
  whyIncompatible?(claim: C, offered: object): string | undefined;
  readonly stack?: string;
  /** The stack trace of the call that defined this service. Errors about the result of `configure` show it. */
  readonly definedAt?: string;
}

/** The services of several stacks, always in the same order. */
export interface ClaimServices {
  readonly all: readonly ClaimService[];
  /** The services of the stacks that are ready: the caches have all objects of their kinds. */
  ready(): readonly ClaimService[];
  /** Emits each stack that becomes ready after the subscription. */
  readonly readyStack$: Observable<ReadyStack>;
}

/** A stack that has become ready, and its services among the {@link ClaimServices}. */
export interface ReadyStack {
  readonly name: string;
  readonly services: readonly ClaimService[];
}

/** A claim kind with all services that can satisfy its claims. */
export interface ClaimKind {
  readonly claim: Kind<Claim>;
  readonly services: ClaimServices;
}

const kindName = ({ kind, group }: Kind): string => `${kind}.${group}`.toLowerCase();

/** The names of the controllers in logs and metrics. */
export const controllerNames = {
  managed: kindName,
  /** The name of the controller that protects Providers, ProviderConfigs or StoreConfigs while they are used. */
  used: kindName,
  scheduling: (claim: Kind) => `scheduling.${kindName(claim)}`,
  defaulting: (claim: Kind) => `defaulting.${kindName(claim)}`,
  binding: (claim: Kind) => `binding.${kindName(claim)}`,
  propagation: 'propagation.secret',
};

/** The `source` of Events. The names are those of Crossplane's controllers (its ControllerName functions). */
export const eventSources = {
  managed: (managed: Kind) => `managed/${kindName(managed)}`,
  scheduling: (claim: Kind) => `claimscheduling/${kindName(claim)}`,
  defaulting: (claim: Kind) => `claimdefaulting/${kindName(claim)}`,
  binding: (claim: Kind) => `claimbinding/${kindName(claim)}`,
  propagation: (managed: Kind) => `secretpropagating/${kindName(managed)}`,
  used: (used: Kind) => `${used.kind.toLowerCase()}/${kindName(used)}`,
  definition: (kind: Kind) => `definition/${kindName(kind)}`,
};
