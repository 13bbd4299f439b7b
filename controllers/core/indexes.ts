import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { connectionSecretType } from '../../apis/core/v1alpha1/meta.ts';
import { controllerOf, type ObjectReference } from '../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import { SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import type { Environment } from '../../runtime/environment.ts';
import type { Resource } from '../../runtime/resource.ts';
import type { Store } from '../../runtime/store.ts';

const byClass = 'classRef';
const byManaged = 'resourceRef';
const byController = 'controller';

/** What an index holds for a reference or for the object it names; UIDs and versions do not count. */
const value = ({ kind, name }: ObjectReference): string => `${kind}/${name}`;

/** Stores that have their indexes. Every controller asks for what it needs; a store takes each index once. */
const indexed = new WeakSet<object>();

function isFirstToIndex(store: object): boolean {
  const isFirst = !indexed.has(store);
  indexed.add(store);
  return isFirst;
}

/** Defines how claims are found by what they name. Calling it again changes nothing. */
export function indexClaims(store: Store<Claim>): void {
  if (!isFirstToIndex(store)) return;
  store.addIndex(byClass, ({ spec }) => (spec.classRef === undefined ? [] : [value(spec.classRef)]));
  store.addIndex(byManaged, ({ spec }) => (spec.resourceRef === undefined ? [] : [value(spec.resourceRef)]));
}

export const claimsOfClass = (store: Store<Claim>, reference: ObjectReference): readonly Claim[] =>
  store.byIndex(byClass, value(reference));

export const claimsOfManaged = (store: Store<Claim>, reference: ObjectReference): readonly Claim[] =>
  store.byIndex(byManaged, value(reference));

/**
 * Connection secrets, and only those: the API server filters by type, so that the process never sees, holds
 * or needs to watch any other secret of the cluster. Indexed by their controller's UID.
 */
export function connectionSecrets(env: Environment): Resource<Secret> {
  const secrets = env.resource(SecretKind, { fieldSelector: `type=${connectionSecretType}` });
  if (isFirstToIndex(secrets.store)) {
    secrets.store.addIndex(byController, (secret) => {
      const controller = controllerOf(secret);
      return controller === undefined ? [] : [controller.uid];
    });
  }
  return secrets;
}

export const secretsControlledBy = (store: Store<Secret>, uid: string | undefined): readonly Secret[] =>
  uid === undefined ? [] : store.byIndex(byController, uid);
