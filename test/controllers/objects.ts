import { NEVER } from 'rxjs';
import type { Claim, ClaimSpec, ClaimStatus } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import type { Kind, ObjectMeta } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed, ManagedSpec, ManagedStatus } from '../../apis/core/v1alpha1/managed.ts';
import type { ObjectReference } from '../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import type { ClaimKind, ClaimService, ClaimServices } from '../../controllers/claim-service.ts';

/** Kinds and objects for tests of decisions. */
export const claimKind: Kind<Claim> = {
  group: 'database.crossplane.io',
  version: 'v1alpha1',
  kind: 'FancySQLInstance',
  plural: 'fancysqlinstances',
  scope: 'Namespaced',
};
export const classKind: Kind<Class> = {
  group: 'database.fcp.crossplane.io',
  version: 'v1alpha3',
  kind: 'FavouriteDBInstanceClass',
  plural: 'favouritedbinstanceclasses',
  scope: 'Cluster',
};
export const otherClassKind: Kind<Class> = {
  group: 'database.ocp.crossplane.io',
  version: 'v1alpha1',
  kind: 'AmbivalentDBInstanceClass',
  plural: 'ambivalentdbinstanceclasses',
  scope: 'Cluster',
};
export const managedKind: Kind<Managed> = {
  group: 'database.fcp.crossplane.io',
  version: 'v1alpha3',
  kind: 'FavouriteDBInstance',
  plural: 'favouritedbinstances',
  scope: 'Cluster',
};
export const otherManagedKind: Kind<Managed> = {
  group: 'database.ocp.crossplane.io',
  version: 'v1alpha1',
  kind: 'AmbivalentDBInstance',
  plural: 'ambivalentdbinstances',
  scope: 'Cluster',
};

export const service: ClaimService = {
  claim: claimKind,
  class: classKind,
  managed: managedKind,
  configure: (_claim, resourceClass) => ({ forProvider: resourceClass.specTemplate.forProvider ?? {} }),
  whyIncompatible: (_claim, offered) =>
    'engine' in offered && offered.engine === 'wrong' ? 'has engine "wrong"' : undefined,
};
export const otherService: ClaimService = { ...service, class: otherClassKind, managed: otherManagedKind };

/** Services of stacks that are all ready. */
export const servicesOf = (...all: readonly ClaimService[]): ClaimServices => ({
  all,
  ready: () => all,
  readyStack$: NEVER,
});
export const claimKindOf = (...all: readonly ClaimService[]): ClaimKind => ({
  claim: claimKind,
  services: servicesOf(...all),
});

export const now = new Date('2026-01-02T03:04:05Z');
export const deletionTimestamp = '2026-01-02T03:00:00Z';

export function claim(
  spec: ClaimSpec = {},
  { status, ...metadata }: Partial<ObjectMeta> & { status?: ClaimStatus } = {},
): Claim {
  return {
    apiVersion: 'database.crossplane.io/v1alpha1',
    kind: 'FancySQLInstance',
    metadata: {
      namespace: 'team',
      name: 'orders',
      uid: 'claim-uid',
      resourceVersion: '7',
      generation: 3,
      ...metadata,
    },
    spec,
    ...(status === undefined ? {} : { status }),
  };
}

export function resourceClass(
  name: string,
  metadata: Partial<ObjectMeta> = {},
  { kind = classKind, specTemplate = {} }: { kind?: Kind<Class>; specTemplate?: Class['specTemplate'] } = {},
): Class {
  return {
    apiVersion: `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata: { name, uid: `${name}-uid`, ...metadata },
    specTemplate,
  };
}

export function managed(
  spec: ManagedSpec = {},
  { status, ...metadata }: Partial<ObjectMeta> & { status?: ManagedStatus } = {},
): Managed {
  return {
    apiVersion: 'database.fcp.crossplane.io/v1alpha3',
    kind: 'FavouriteDBInstance',
    metadata: { name: 'db', uid: 'managed-uid', resourceVersion: '9', generation: 2, ...metadata },
    spec,
    ...(status === undefined ? {} : { status }),
  };
}

/** A Secret; without a type unless one is given. */
export const secretOf = (metadata: Secret['metadata'], rest: Partial<Secret> = {}): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata,
  ...rest,
});

export const classRef = (name: string, kind: Kind = classKind): ObjectReference => ({
  apiVersion: `${kind.group}/${kind.version}`,
  kind: kind.kind,
  name,
});

export const resourceRef = (name: string, kind: Kind = managedKind): ObjectReference => classRef(name, kind);

export const claimRef = (over: ObjectReference = {}): ObjectReference => ({
  apiVersion: 'database.crossplane.io/v1alpha1',
  kind: 'FancySQLInstance',
  namespace: 'team',
  name: 'orders',
  uid: 'claim-uid',
  ...over,
});

/** The message of `managed()` about a creation without a recorded result. */
export const undetermined =
  'cannot determine creation result - remove the crossplane.io/external-create-pending annotation if it is safe to proceed: ' +
  'look for it in the external system; if it is there, set NAME to its name there; if it is not, leave crossplane.io/external-name out: ' +
  'kubectl annotate favouritedbinstance.database.fcp.crossplane.io db --overwrite ' +
  `crossplane.io/external-name="\${NAME:?its name there}" crossplane.io/external-create-pending-`;

/** The same message if an external name is recorded. */
export const undeterminedNamed = (name: string): string =>
  'cannot determine creation result - remove the crossplane.io/external-create-pending annotation if it is safe to proceed: ' +
  `look for it in the external system; once you know whether "${name}" is there and is this one: ` +
  'kubectl annotate favouritedbinstance.database.fcp.crossplane.io db crossplane.io/external-create-pending-';
