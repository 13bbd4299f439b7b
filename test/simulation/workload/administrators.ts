import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import { encodeDetails } from '../../../apis/core/v1alpha1/secret.ts';
import { FavouriteDBInstanceClassKind } from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import * as fcp from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/provider.ts';
import { AmbivalentDBInstanceClassKind } from '../../../stacks/demo-clouds/kinds/ocp/v1alpha1/ambivalent-db-instance.ts';
import * as ocp from '../../../stacks/demo-clouds/kinds/ocp/v1alpha1/provider.ts';
import { PostgreSQLDatabaseClassKind } from '../../../stacks/postgresql/kinds/v1alpha1/postgresql-database.ts';
import * as postgresql from '../../../stacks/postgresql/kinds/v1alpha1/provider.ts';
import { objectOf } from '../../fakes/object-of.ts';
import { kindOf } from '../kinds.ts';
import type { ObjectName } from '../scenario.ts';
import type { Draft } from './draft.ts';
import { nameOf } from './exemplars.ts';
import {
  byDefault,
  classOf,
  credentials,
  credentialsSecret,
  inventory,
  secretFor,
  usualSystems,
} from './inventory.ts';

const classKinds: readonly (readonly [Kind, object])[] = [
  [FavouriteDBInstanceClassKind, { providerRef: { name: 'favourite' }, forProvider: { fancinessLevel: 11 } }],
  [AmbivalentDBInstanceClassKind, { forProvider: { ambivalence: 11 } }],
  [PostgreSQLDatabaseClassKind, { forProvider: { connectionLimit: 5 } }],
];

const named = (kind: Kind, name: string): ObjectName => nameOf(objectOf(kind, { name }));

/** An object that goes and may come back, as it was in the beginning. */
function comesAndGoes(draft: Draft, of: ObjectName): void {
  const object = inventory.find(
    (each) => each.kind === of.kind && each.apiVersion === of.apiVersion && each.metadata.name === of.name,
  );
  const gone = draft.between(0, 0.8, 'gone');
  draft.at(gone, { type: 'delete', of });
  if (object !== undefined && draft.has(0.7, 'comes back')) {
    draft.at(draft.between(gone, 1, 'back'), { type: 'create', object });
  }
}

/** Classes that come late, go, come back, change, are more than one default or none. */
export function classes(draft: Draft): void {
  const [kind, rest] = draft.pick(classKinds, 'kind');
  const of = named(kind, kind === AmbivalentDBInstanceClassKind ? 'other-small' : 'small');
  const late = () => ({
    name: 'late',
    labels: draft.pick([{ size: 'enormous' }, { size: 'small' }, {}], 'labels'),
    annotations: draft.has(0.5, 'default') ? byDefault : {},
  });
  const patches = (): readonly object[] => [
    { specTemplate: rest },
    { specTemplate: { reclaimPolicy: draft.pick(['Retain', 'Delete', null], 'reclaim') } },
    { specTemplate: { providerRef: null, providerConfigRef: { name: 'second' } } },
    { specTemplate: { writeConnectionSecretsToNamespace: 'elsewhere' } },
    { metadata: { labels: { size: 'enormous' } } },
    { metadata: { annotations: { [annotationKeys.defaultClass]: draft.pick(['true', null], 'default') } } },
  ];
  const acts: readonly (() => void)[] = [
    () => {
      const reclaimPolicy = draft.pick(['Retain', 'Delete'], 'policy');
      const object = classOf(kind, late(), { ...rest, reclaimPolicy });
      draft.at(draft.between(0, 1, 'late'), { type: 'create', object });
    },
    () => comesAndGoes(draft, of),
    () => draft.edit(draft.between(0, 1, 'edit'), of, draft.pick(patches(), 'edit what')),
  ];
  const count = 1 + Math.floor(draft.chance('count') * 2);
  for (let index = 0; index < count; index += 1) draft.pick(acts, 'act', index)();
}

const configKinds = [fcp.ProviderConfigKind, ocp.ProviderConfigKind, postgresql.ProviderConfigKind];

const providers: readonly ObjectName[] = [
  named(fcp.ProviderKind, 'favourite'),
  named(fcp.ProviderConfigKind, 'default'),
  named(ocp.ProviderKind, 'other'),
  named(ocp.ProviderConfigKind, 'default'),
  named(postgresql.ProviderKind, 'server'),
  named(postgresql.ProviderConfigKind, 'default'),
];

/** Providers and credentials that go, are wrong for a while, come back. In the end all are as they were, or gone. */
export function providersAndCredentials(draft: Draft): void {
  const system = draft.pick(usualSystems, 'system');
  const { key } = credentialsSecret[system];
  const object = secretFor(system);
  const of = nameOf(object);
  const begin = draft.between(0, 0.7, 'begin');
  const end = draft.between(begin, 1, 'end');
  const right = { data: encodeDetails(credentials[system]) };
  const wrong = {
    favourite: [
      '{"url": "http://favourite.test", "token": "wrong"}',
      'nonsense',
      '{"url": "http://nowhere.test", "token": "x"}',
    ],
    other: ['{"url": "http://other.test", "token": "wrong"}', 'nonsense', '{}'],
    postgresql: ['nowhere.test', 'postgresql.test/nonsense', ''],
  } as const;
  const acts: readonly (() => void)[] = [
    () => {
      draft.edit(begin, of, { data: encodeDetails({ [key]: draft.pick(wrong[system], 'wrong') }) });
      draft.edit(end, of, right);
    },
    () => {
      draft.edit(begin, of, { data: { [key]: null } });
      draft.edit(end, of, right);
    },
    () => {
      draft.at(begin, { type: 'delete', of });
      draft.at(end, { type: 'create', object });
    },
    () => comesAndGoes(draft.by('provider'), draft.pick(providers, 'which')),
    () => {
      const config = draft.pick(configKinds, 'second');
      const first = inventory.find((each) => kindOf(each) === config);
      if (first !== undefined) {
        draft.at(begin, { type: 'create', object: { ...first, metadata: { name: 'second' } } });
      }
      if (draft.has(0.4, 'goes')) draft.at(end, { type: 'delete', of: named(config, 'second') });
    },
  ];
  draft.pick(acts, 'act')();
}
