import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import type { Resource } from '../../runtime/cache/resource.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import type { ClaimNamespaces } from '../claim/claim-namespaces.ts';
import type { ClaimNamespace } from '../claim/may-claim.ts';
import type { NamespaceUid, PreviousResources } from '../claim/previous-resources.ts';
import type { ClaimKind, ClaimService } from '../claim-service.ts';
import type { StoredCredential } from '../credential.ts';
import type { ReadFirst } from './decision.ts';

/** The dependencies of the controller that binds the claims of one kind. */
export interface BindingContext extends ClaimKind {
  readonly env: Pick<
    Environment,
    'resource' | 'events' | 'clock' | 'log' | 'claimNamespaces' | 'pollIntervalMs'
  >;
  readonly claims: Resource<Claim>;
  readonly secrets: Resource<Secret>;
  readonly namespaces: ClaimNamespaces;
  /** The managed resources of every kind whose `claimRef` has the claim's UID. Bound ones come first. */
  readonly ownedBy: (claim: Claim) => readonly Managed[];
  /** The managed resources of previous claims of the same kind, namespace and name. */
  readonly previousResources: (claim: Claim) => PreviousResources;
  /** The managed resources of the kind of this one. */
  readonly resourcesOf: (managed: Managed) => Resource<Managed>;
  /** Reads the credential of a resource that publishes its connection details to a secret store, but to no Secret. */
  readonly storedConnection?: StoredConnection | undefined;
}

export type StoredConnection = (
  managed: Managed,
  signal: AbortSignal,
) => Promise<StoredCredential | undefined>;

/** Results of one run that the informer caches may not have yet. They are forgotten when the run ends. */
export interface RunMemory {
  readonly hasRead: Set<ReadFirst>;
  namespace?: ClaimNamespace;
  namespaceUid?: NamespaceUid;
  /** The Secret that the claim names, as the API server returned it. The cache has only connection Secrets. */
  target?: Secret | undefined;
  /** The UIDs of the objects that this run deleted. The cache may still have these objects. */
  readonly deleted: Set<string | undefined>;
  /** The service of a claim that is being deleted. It ends the claim also if its references name no known kind. */
  service?: ClaimService | undefined;
}

export const newRun = (): RunMemory => ({ hasRead: new Set(), deleted: new Set() });
