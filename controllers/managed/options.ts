import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { NameLimits } from '../../apis/core/v1alpha1/name-limits.ts';
import type { Resource } from '../../runtime/cache/resource.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import type { ConnectionPlaces } from '../connection/connection-places.ts';
import type { RandomBytes, SecretDetails } from '../credential.ts';
import type { ExternalConnector } from './connecting/external-client.ts';
import type { IdentityMarks } from './recording/identity.ts';

/** The properties of a managed kind, and the parts of the process that its reconciler uses. */
export interface ManagedReconcilerOptions<M extends Managed> {
  readonly env: Pick<Environment, 'events' | 'clock' | 'random' | 'pollIntervalMs' | 'isObserveOnly'>;
  readonly managedResources: Resource<M>;
  readonly connector: ExternalConnector<M>;
  readonly places: ConnectionPlaces;
  readonly secretDetails?: SecretDetails<M>;
  readonly randomBytes?: RandomBytes;
  /**
   * - `assigned`: the external system chooses the name. One annotation announces each creation, and another records
   *   its result. If the result is lost, the controller waits for an administrator ("cannot determine creation
   *   result"), because another attempt might create a second external resource.
   * - `deterministic`: the name is known before creation (`forProvider.name`, else the object's name), so that
   *   creations need no annotations. The external system must refuse a second resource of that name, and `create` must
   *   succeed if an earlier attempt created the resource.
   */
  readonly externalNames: 'deterministic' | 'assigned';
  /** Returns the managed resource with the referenced values filled in. Throws the reason if a value is missing. */
  resolveReferences?(managed: M, signal: AbortSignal): Promise<M>;
  /** Why no external resource can be created now. Undefined if nothing prevents the creation, which is the default. */
  uncreatable?(managed: M): string | undefined;
  /**
   * For how many ms observations must find nothing of a resource that was created and never found, before a deletion is
   * completed, or a resource with an assigned name counts as lost. Default: 30 000 for assigned names, else 0.
   */
  readonly creationGraceMs?: number;
  /**
   * For how many ms observations must find nothing before the controller creates the external resource again, or ends a
   * deletion that the external system did not acknowledge. Default: 5 000. Use 0 if one observation is proof enough.
   */
  readonly confirmAbsenceMs?: number;
  /** The immutable fields of `forProvider`, and those that identify the external resource. Default: none. */
  readonly marks?: IdentityMarks;
  /** Whether a loss of the external resource loses data, so that it is reported until it is acknowledged. Default: no. */
  readonly holdsData?: boolean;
  /** The limits for external names (see `fittingName`). Absent: the external system accepts any name. */
  readonly names?: NameLimits;
}
