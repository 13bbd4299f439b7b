import { NamespaceKind } from '../../../apis/core/v1alpha1/namespace.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import {
  AmbivalentDBInstanceClassKind,
  AmbivalentDBInstanceKind,
} from '../../../apis/ocp/v1alpha1/ambivalent-db-instance.ts';
import {
  PostgreSQLDatabaseClassKind,
  PostgreSQLDatabaseKind,
} from '../../../apis/postgresql/v1alpha1/postgresql-database.ts';
import { isManagedKind } from '../kinds.ts';
import type { Draft } from './draft.ts';
import { managedByHand, nameOf } from './exemplars.ts';
import { inventory, objectOf, teams } from './inventory.ts';

const selectors: readonly (object | null)[] = [
  { matchLabels: { stage: 'live' } },
  { matchLabels: { stage: 'test' } },
  { matchExpressions: [{ key: 'stage', operator: 'In', values: ['live', 'test'] }] },
  { matchExpressions: [{ key: 'stage', operator: 'DoesNotExist' }] },
  { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['team-a'] }] },
  { matchExpressions: [{ key: 'stage', operator: 'In' }] },
  {},
  null,
];

const offered = [
  objectOf(FavouriteDBInstanceClassKind, { name: 'small' }),
  objectOf(FavouriteDBInstanceClassKind, { name: 'large' }),
  objectOf(AmbivalentDBInstanceClassKind, { name: 'other-small' }),
  objectOf(PostgreSQLDatabaseClassKind, { name: 'small' }),
  managedByHand(FavouriteDBInstanceKind),
  managedByHand(AmbivalentDBInstanceKind),
  managedByHand(PostgreSQLDatabaseKind),
];

/** Administrators say which namespaces may claim a class or a resource, and change their minds; labels change, too. */
export function namespaces(draft: Draft): void {
  const count = 1 + Math.floor(draft.chance('count') * 3);
  for (let index = 0; index < count; index += 1) {
    const object = draft.pick(offered, 'what', index);
    const namespaceSelector = draft.pick(selectors, 'selector', index);
    const part = isManagedKind(object) ? 'spec' : 'specTemplate';
    const patch = { [part]: { namespaceSelector } };
    draft.at(draft.between(0, 0.5, 'offered', index), { type: 'edit', of: nameOf(object), patch });
    if (draft.has(0.4, 'otherwise', index)) {
      const other = { [part]: { namespaceSelector: draft.pick(selectors, 'other', index) } };
      draft.at(draft.between(0.1, 1, 'later', index), { type: 'edit', of: nameOf(object), patch: other });
    }
  }
  for (const [index, team] of teams.entries()) {
    const of = nameOf(objectOf(NamespaceKind, { name: team }));
    for (let edit = 0; edit < Math.floor(draft.chance('edits', index) * 4); edit += 1) {
      const stage = draft.pick(['live', 'test', 'none', null], 'stage', index, edit);
      draft.at(draft.between(0, 1, 'labelled', index, edit), {
        type: 'edit',
        of,
        patch: { metadata: { labels: { stage } } },
      });
    }
    const object = inventory.find(({ kind, metadata }) => kind === 'Namespace' && metadata.name === team);
    if (object !== undefined && draft.has(0.15, 'gone', index)) {
      const gone = draft.between(0, 1, 'gone at', index);
      draft.at(gone, { type: 'delete', of });
      if (draft.has(0.7, 'back', index))
        draft.at(draft.between(gone, 1, 'back at', index), { type: 'create', object });
    }
  }
}
