import compact from 'lodash/compact.js';
import type { Claim } from '../apis/core/v1alpha1/claim.ts';
import { objectKey, objectKeyText } from '../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../apis/core/v1alpha1/managed.ts';
import { connectionSecretType } from '../apis/core/v1alpha1/meta.ts';
import type { ObjectReference } from '../apis/core/v1alpha1/reference.ts';
import { controllerOf, controllerUid, referenceIsOfKind } from '../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../apis/core/v1alpha1/secret.ts';
import { SecretKind } from '../apis/core/v1alpha1/secret.ts';
import type { Resource } from '../runtime/cache/resource.ts';
import type { Store } from '../runtime/cache/store.ts';
import type { Environment } from '../runtime/controller/environment.ts';
import type { Request } from '../runtime/controller/reconcile.ts';

const byClass = 'classRef';
const byManaged = 'resourceRef';
const byNamespace = 'namespace';
const bySecret = 'writeConnectionSecretToRef';
const byClaim = 'claimRef';
const byClaimUid = 'claimRef.uid';
const byController = 'controller';

/** The index value of a reference. It has no UID, which users may leave out, and no API version, which may differ. */
const value = ({ kind, name }: ObjectReference): string => `${kind}/${name}`;

export function indexClaims(store: Store<Claim>): void {
  store.addIndex(byClass, ({ spec }) => compact([spec.classRef]).map(value));
  store.addIndex(byManaged, ({ spec }) => compact([spec.resourceRef]).map(value));
  store.addIndex(byNamespace, ({ metadata }) => compact([metadata.namespace]));
  store.addIndex(bySecret, ({ metadata: { namespace }, spec: { writeConnectionSecretToRef: to } }) =>
    namespace === undefined || to?.name === undefined ? [] : [objectKeyText({ namespace, name: to.name })],
  );
}

export const claimsOfClass = (store: Store<Claim>, reference: ObjectReference): readonly Claim[] =>
  store.byIndex(byClass, value(reference));

export const claimsOfManaged = (store: Store<Claim>, reference: ObjectReference): readonly Claim[] =>
  store.byIndex(byManaged, value(reference));

/** The claims that name a Secret as theirs. */
export const claimsOfSecret = (store: Store<Claim>, { metadata }: Secret): readonly Claim[] =>
  store.byIndex(bySecret, objectKeyText(metadata));

export const claimsIn = (store: Store<Claim>, namespace: string): readonly Claim[] =>
  store.byIndex(byNamespace, namespace);

export function indexManaged(store: Store<Managed>): void {
  store.addIndex(byClaim, ({ spec }) => compact([claimKeyOf(spec.claimRef)]).map(objectKeyText));
  store.addIndex(byClaimUid, ({ spec }) => compact([spec.claimRef?.uid]));
}

/** Managed resources whose `claimRef` has this namespace and name. The kind and UID in `claimRef` are not compared. */
export const managedNaming = (store: Store<Managed>, claim: Request): readonly Managed[] =>
  store.byIndex(byClaim, objectKeyText(claim));

/** Managed resources whose `claimRef` has this UID, even if a user edited the name in `claimRef`. */
export const managedWithClaimUid = (store: Store<Managed>, uid: string | undefined): readonly Managed[] =>
  store.byIndex(byClaimUid, uid ?? '');

export const claimKeyOf = ({ namespace, name }: ObjectReference = {}): Request | undefined =>
  name ? objectKey({ ...(namespace ? { namespace } : {}), name }) : undefined;

/** Connection Secrets, indexed by the UID of the owner that controls them. A field selector excludes other Secrets. */
export function connectionSecrets(env: Environment): Resource<Secret> {
  const secrets = env.resource(SecretKind, { fieldSelector: `type=${connectionSecretType}` });
  secrets.store.addIndex(byController, (secret) => compact([controllerUid(secret)]));
  return secrets;
}

export const secretsControlledBy = (store: Store<Secret>, uid: string | undefined): readonly Secret[] =>
  store.byIndex(byController, uid ?? '');

/** The managed resource that controls a Secret. It must also name the Secret: a user can forge an owner reference. */
export function publisherOf<M extends Managed>(
  secret: Secret,
  ...managedResources: readonly Resource<M>[]
): M | undefined {
  const controller = controllerOf(secret);
  const managedOfKind = managedResources.find(({ kind }) => referenceIsOfKind(controller, kind));
  const resource = managedOfKind?.get({ name: controller?.name ?? '' });
  const { namespace, name } = resource?.spec.writeConnectionSecretToRef ?? {};
  const { metadata } = secret;
  return namespace === metadata.namespace && name === metadata.name ? resource : undefined;
}

/**
 * The Secrets that a claim controls in its own namespace. Secrets in other namespaces are ignored: any user who knows
 * the UID of the claim could name it there as the owner of a Secret (Kubernetes, "Owners and Dependents").
 */
export const secretsOfClaim = (
  store: Store<Secret>,
  { namespace, uid }: Pick<ObjectReference, 'namespace' | 'uid'>,
): readonly Secret[] =>
  secretsControlledBy(store, uid).filter(({ metadata }) => metadata.namespace === namespace);
