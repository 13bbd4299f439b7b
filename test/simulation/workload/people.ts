import type { Kind, KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import { encodeDetails, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { PostgreSQLInstanceKind } from '../../../apis/database/v1alpha1/postgresql-instance.ts';
import { FancySQLInstanceKind } from '../../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import {
  AmbivalentDBInstanceClassKind,
  AmbivalentDBInstanceKind,
} from '../../../stacks/demo-clouds/kinds/ocp/v1alpha1/ambivalent-db-instance.ts';
import {
  PostgreSQLDatabaseClassKind,
  PostgreSQLDatabaseKind,
} from '../../../stacks/postgresql/kinds/v1alpha1/postgresql-database.ts';
import { objectOf, referenceOf } from '../../fakes/object-of.ts';
import type { Draft } from './draft.ts';
import { claimOf, managedByHand, mayGo, nameOf, secretOf } from './exemplars.ts';
import { teams } from './inventory.ts';

const selectors: readonly object[] = [
  { matchLabels: { size: 'small' } },
  { matchLabels: { size: 'large' } },
  { matchLabels: { size: 'enormous' } },
  { matchExpressions: [{ key: 'size', operator: 'In', values: ['small', 'large'] }] },
  { matchLabels: { size: 'small' }, matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] },
];

const refs = (kind: Kind, ...names: readonly string[]): readonly object[] =>
  names.map((name) => referenceOf(kind, name));

const classRefs = new Map<Kind, readonly object[]>([
  [
    FancySQLInstanceKind,
    [
      ...refs(FavouriteDBInstanceClassKind, 'small', 'large'),
      ...refs(AmbivalentDBInstanceClassKind, 'other-small'),
      ...refs(FavouriteDBInstanceClassKind, 'late'),
      ...refs(PostgreSQLDatabaseClassKind, 'small'),
    ],
  ],
  [PostgreSQLInstanceKind, refs(PostgreSQLDatabaseClassKind, 'small', 'large', 'late')],
]);

/** The managed kinds that may satisfy a claim kind. */
const resourceKinds = new Map<Kind, readonly Kind[]>([
  [FancySQLInstanceKind, [FavouriteDBInstanceKind, AmbivalentDBInstanceKind]],
  [PostgreSQLInstanceKind, [PostgreSQLDatabaseKind]],
]);

/** Teams claim resources, change their minds, and claim again. One seed of several hundred has no claims. */
export function claims(draft: Draft): void {
  const count = 1 + Math.floor(draft.chance('count') ** 2 * 4);
  const isPostgresql = draft.has(0.3, 'postgresql');
  for (let index = 0; index < count; index += 1) {
    const kind =
      isPostgresql && draft.has(0.7, 'kind', index) ? PostgreSQLInstanceKind : FancySQLInstanceKind;
    claim(draft.by(index), kind, index);
  }
}

function claim(draft: Draft, kind: Kind, index: number): void {
  const object = claimOf(kind, draft.pick(teams, 'team'), index, wish(draft, kind));
  const of = nameOf(object);
  const born = draft.between(0, 0.5, 'born');
  draft.at(born, { type: 'create', object });
  mayGo(draft, object, { born });
  if (draft.has(0.3, 'noted')) {
    const [annotations, labels] = [{ 'team/note': `note-${index}` }, { team: `label-${index}` }];
    draft.edit(draft.between(born, 1, 'note'), of, { metadata: { annotations, labels } });
  }
  if (draft.has(0.15, 'edited')) {
    draft.edit(draft.between(born, 1, 'edit'), of, { spec: edit(draft, kind) });
  }
  if (draft.has(0.15, 'corrected')) {
    draft.edit(draft.between(born, 1, 'correction'), of, { spec: correction(draft, kind) });
  }
  if (draft.has(0.2, 'secret')) secretLife(draft.by('secret'), object, born);
}

/** The request of a claim: any class of some labels, one class, one resource, or no constraint. */
function wish(draft: Draft, kind: Kind): object {
  const kindOfWish = draft.chance('wish');
  const parameter =
    kind === PostgreSQLInstanceKind
      ? { engineVersion: draft.pick(['18', '14'], 'version') }
      : { version: draft.pick(['5.7', '8.0'], 'version') };
  const parameters = draft.has(0.15, 'asks for a version') ? parameter : {};
  if (kindOfWish < 0.3) return parameters;
  if (kindOfWish < 0.6) return { ...parameters, classSelector: draft.pick(selectors, 'selector') };
  if (kindOfWish < 0.85) return { ...parameters, classRef: draft.pick(classRefs.get(kind) ?? [], 'class') };
  return { resourceRef: draft.pick(staticResources(kind), 'resource') };
}

/** Another version, or none. */
const correction = (draft: Draft, kind: Kind): object =>
  kind === PostgreSQLInstanceKind
    ? { engineVersion: draft.pick(['18', '99', null], 'corrected version') }
    : { version: draft.pick(['5.7', '8.0', null], 'corrected version') };

const staticResources = (kind: Kind): readonly object[] =>
  (resourceKinds.get(kind) ?? []).map((each) => referenceOf(each, managedByHand(each).metadata.name));

/** The edits of a claim by its author, before it is bound or after. */
const edit = (draft: Draft, kind: Kind): object =>
  draft.pick<object>(
    [
      { writeConnectionSecretToRef: { name: 'another' } },
      { writeConnectionSecretToRef: null },
      { classSelector: draft.pick(selectors, 'other selector') },
      { classSelector: null },
      { classRef: draft.pick(classRefs.get(kind) ?? [], 'other class') },
      { classRef: null },
      { resourceRef: draft.pick(staticResources(kind), 'other resource') },
      { resourceRef: null },
    ],
    'edit what',
  );

/** A team meddles with its secret, or had one of that name before. */
function secretLife(draft: Draft, claimed: KubernetesObject, born: number): void {
  const of = secretOf(claimed);
  const { namespace = '', name } = of;
  const later = (what: string): number => draft.between(born, 1, what);
  const own = (type?: string): KubernetesObject =>
    objectOf(
      SecretKind,
      { namespace, name },
      { ...(type && { type }), data: encodeDetails({ mine: 'not yours' }) },
    );
  const edits = (what: string, patch: object) => () => draft.edit(later(what), of, patch);
  const acts: readonly (() => void)[] = [
    () => draft.at(later('deleted'), { type: 'delete', of }),
    edits('added', { data: encodeDetails({ own: 'key' }) }),
    edits('edited', { data: encodeDetails({ password: 'guessed' }) }),
    edits('emptied', { data: null }),
    edits('labelled', { metadata: { labels: { own: 'label' } } }),
    edits('disowned', { metadata: { ownerReferences: null } }),
    edits('muted', { metadata: { annotations: null } }),
    () => draft.have(own()),
    () => draft.have(own('connection.crossplane.io/v1alpha1')),
    () => {
      draft.at(later('deleted'), { type: 'delete', of });
      draft.at(later('deleted'), { type: 'create', object: own() });
    },
  ];
  draft.pick(acts, 'what')();
}
