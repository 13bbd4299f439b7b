import type { Kind, KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { PostgreSQLInstanceKind } from '../../../apis/database/v1alpha1/postgresql-instance.ts';
import { FancySQLInstanceKind } from '../../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { FavouriteDBInstanceKind } from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { NetworkKind } from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/network.ts';
import { AmbivalentDBInstanceKind } from '../../../stacks/demo-clouds/kinds/ocp/v1alpha1/ambivalent-db-instance.ts';
import { PostgreSQLDatabaseKind } from '../../../stacks/postgresql/kinds/v1alpha1/postgresql-database.ts';
import { PostgreSQLGrantKind } from '../../../stacks/postgresql/kinds/v1alpha1/postgresql-grant.ts';
import { PostgreSQLRoleKind } from '../../../stacks/postgresql/kinds/v1alpha1/postgresql-role.ts';
import { objectOf } from '../../fakes/object-of.ts';
import { kindOf, managedKinds } from '../kinds.ts';
import type { ObjectName } from '../scenario.ts';
import type { Draft } from './draft.ts';
import { adminNamespace, inventory, teams } from './inventory.ts';

/** The name of an object. */
export function nameOf({ apiVersion, kind, metadata }: KubernetesObject): ObjectName {
  const { namespace, name } = metadata;
  return namespace === undefined ? { apiVersion, kind, name } : { apiVersion, kind, namespace, name };
}

const grantFields = {
  roleRef: { name: 'role-0' },
  databaseRef: { name: 'database-0' },
  privileges: ['CONNECT'],
};

/** The name of a managed resource that a user created, before its number, and its fields beside the common ones. */
const usualResources = new Map<Kind, readonly [name: string, forProvider: object]>([
  [FavouriteDBInstanceKind, ['by-hand', { fancinessLevel: 5 }]],
  [AmbivalentDBInstanceKind, ['other-by-hand', { ambivalence: 7 }]],
  [NetworkKind, ['network', { displayName: 'network' }]],
  [PostgreSQLDatabaseKind, ['database', {}]],
  [PostgreSQLRoleKind, ['role', { login: true }]],
  [PostgreSQLGrantKind, ['grant', grantFields]],
]);

/** A managed resource that an administrator makes by hand, the least there can be; its secret is its own. */
export function managedByHand(kind: Kind, index = 0, spec: object = {}): KubernetesObject {
  const [prefix, forProvider] = usualResources.get(kind) ?? ['', {}];
  const to = { namespace: adminNamespace, name: `${kind.kind.toLowerCase()}-${index}` };
  return objectOf(
    kind,
    { name: `${prefix}-${index}`, labels: { tier: 'one' } },
    { spec: { forProvider, writeConnectionSecretToRef: to, ...spec } },
  );
}

/** A claim of a kind: `wish` is what it asks for beside its secret. */
export const claimOf = (kind: Kind, namespace: string, index: number, wish: object = {}): KubernetesObject =>
  objectOf(
    kind,
    { namespace, name: `claim-${index}` },
    { spec: { ...wish, writeConnectionSecretToRef: { name: `secret-${index}` } } },
  );

/** An object of a kind that exists or that a user creates, for a theme that needs one. */
export function exemplar(
  draft: Draft,
  kind: Kind,
  make: (kind: Kind) => KubernetesObject = fresh,
): ObjectName {
  const isOfKind = (object: KubernetesObject): boolean => kindOf(object) === kind;
  const made = draft.steps.flatMap(({ act }) => (act.type === 'create' ? [act.object] : []));
  const found = [...made, ...draft.objects].find(isOfKind);
  if (found !== undefined) return nameOf(found);
  const object = make(kind);
  draft.at(draft.between(0, 0.15, 'exemplar', kind.group, kind.kind), { type: 'create', object });
  return nameOf(object);
}

/** The least object of a kind. */
export function fresh(kind: Kind): KubernetesObject {
  if (managedKinds.includes(kind)) return managedByHand(kind);
  if (kind === FancySQLInstanceKind || kind === PostgreSQLInstanceKind) return claimOf(kind, teams[0], 0);
  const standing = inventory.find((object) => kindOf(object) === kind);
  if (standing === undefined) throw new Error(`nothing is known of the kind ${kind.kind}`);
  return standing;
}

/**
 * In this share of all cases a user deletes the object that was created at `born`, and in half of these
 * creates it again.
 */
export function mayGo(
  draft: Draft,
  object: KubernetesObject,
  { born, share = 0.5 }: { readonly born: number; readonly share?: number },
): void {
  if (!draft.has(share, 'deleted')) return;
  const gone = draft.between(born, 1, 'gone');
  draft.at(gone, { type: 'delete', of: nameOf(object) });
  if (draft.has(0.5, 'again')) draft.at(draft.between(gone, 1, 'soon'), { type: 'create', object });
}

/** A claim's connection secret. */
export const secretOf = ({ metadata }: KubernetesObject): ObjectName => ({
  apiVersion: 'v1',
  kind: SecretKind.kind,
  namespace: metadata.namespace ?? teams[0],
  name: metadata.name.replace('claim', 'secret'),
});
