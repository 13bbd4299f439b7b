import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { SecretDetails } from './credential.ts';
import type { NameLimits } from './name-limits.ts';

/** The parts of a managed resource's spec that a class and a claim decide. */
export type ManagedSpecOf<M extends Managed> = M['spec'];

/**
 * How one managed kind satisfies one claim kind. `configure` is pure: claim and class in, spec of the managed
 * resource out. It sets neither references, names, secret nor policies: those are the same for every service.
 * It throws an Error whose message tells the claim's author what does not fit.
 */
export interface ClaimService<C extends Claim = Claim, K extends Class = Class, M extends Managed = Managed> {
  readonly claim: Kind<C>;
  readonly class: Kind<K>;
  readonly managed: Kind<M>;
  /** Who names what managed resources stand for: we, before it is made, or the external system. Absent: we. */
  readonly externalNames?: 'deterministic' | 'assigned';
  /** What the external system takes for a name that we choose; absent: any. */
  readonly names?: NameLimits;
  /** Which connection details of the managed kind are secret. Absent: none. */
  readonly secretDetails?: SecretDetails;
  configure(claim: C, resourceClass: K): Pick<ManagedSpecOf<M>, 'forProvider'>;
  /**
   * What is wrong with what `configure` yielded of claim and class, by the schema of the managed kind: each says what is
   * yielded, as `forProvider.sise, which Queue does not have`. Pure. Absent: nobody knows the schema.
   */
  readonly problemsOf?: (
    configured: Pick<ManagedSpecOf<Managed>, 'forProvider'>,
    claim: Claim,
    resourceClass: Class,
  ) => readonly string[];
  /**
   * Why what is offered cannot serve the claim, as `has engine "postgres", which …`: said after the name of a class or of a
   * managed resource. Undefined: it can. Pure. `offered` is the class's `forProvider`; of a managed resource its own, over
   * what of that name `initProvider` and the status say. Absent: whatever is offered serves.
   */
  misfit?(claim: C, offered: object): string | undefined;
  /** The name of its stack, for messages. */
  readonly stack?: string;
  /** The stack trace of where it was written, for messages. */
  readonly definedAt?: string;
}

/** Every service of one claim kind in this process, in one order for all. */
export interface Peers {
  readonly all: readonly ClaimService[];
  /** Those of stacks that can work: the others' kinds are not there, as if their stacks had not been chosen. */
  working(): readonly ClaimService[];
}

const kindName = ({ kind, group }: Kind): string => `${kind}.${group}`.toLowerCase();
const serviceName = ({ claim, managed }: ClaimService): string =>
  `${claim.kind.toLowerCase()}.${kindName(managed)}`;

/** Controllers are named for the kinds they join, in lower case: in logs and metrics. */
export const controllerNames = {
  managed: kindName,
  provider: kindName,
  providerConfig: kindName,
  scheduling: (service: ClaimService) => `scheduler.${serviceName(service)}`,
  defaulting: (service: ClaimService) => `defaulter.${serviceName(service)}`,
  binding: serviceName,
  secret: ({ managed }: ClaimService) => `connectionsecret.${kindName(managed)}`,
};

/** Whom `kubectl describe` names in an Event's From: the original's controller names (its ControllerName functions). */
export const eventSources = {
  managed: (managed: Kind) => `managed/${kindName(managed)}`,
  scheduling: ({ claim }: Pick<ClaimService, 'claim'>) => `claimscheduling/${kindName(claim)}`,
  defaulting: ({ claim }: Pick<ClaimService, 'claim'>) => `claimdefaulting/${kindName(claim)}`,
  binding: ({ claim }: Pick<ClaimService, 'claim'>) => `claimbinding/${kindName(claim)}`,
  secret: ({ managed }: Pick<ClaimService, 'managed'>) => `secretpropagating/${kindName(managed)}`,
  provider: (provider: Kind) => `provider/${kindName(provider)}`,
  providerConfig: (providerConfig: Kind) => `providerconfig/${kindName(providerConfig)}`,
  definition: (kind: Kind) => `definition/${kindName(kind)}`,
};
