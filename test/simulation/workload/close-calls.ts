import type { KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import { StoreConfigKind } from '../../../apis/core/v1alpha1/store-config.ts';
import { FavouriteDBInstanceKind } from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { NetworkKind } from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/network.ts';
import { ProviderConfigKind } from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/provider.ts';
import { AmbivalentDBInstanceKind } from '../../../stacks/demo-clouds/kinds/ocp/v1alpha1/ambivalent-db-instance.ts';
import { objectOf } from '../../fakes/object-of.ts';
import { kindOf } from '../kinds.ts';
import type { ObjectName } from '../scenario.ts';
import type { Draft } from './draft.ts';
import { managedByHand, nameOf } from './exemplars.ts';
import { adminNamespace, inventory, secret } from './inventory.ts';

/** Not later than so much after something else: a moment in which that is still under way. */
const soon = 0.06;

/** Events within a moment of another event. */
const after = (draft: Draft, moment: number, ...name: readonly (string | number)[]): number =>
  draft.between(moment, Math.min(1, moment + (draft.has(0.6, ...name, 'is soon') ? soon : 0.6)), ...name);

function comes(draft: Draft, object: KubernetesObject, latest = 0.2): number {
  const born = draft.between(0, latest, 'born', object.metadata.name);
  draft.at(born, { type: 'create', object });
  return born;
}

const goes = (draft: Draft, of: ObjectName, born: number): number => {
  const gone = after(draft, born, 'gone', of.name);
  draft.at(gone, { type: 'delete', of });
  return gone;
};

const instanceKinds = [FavouriteDBInstanceKind, AmbivalentDBInstanceKind] as const;

/**
 * The recorded values of a resource are edited, or removed, during its creation or later; then it is
 * deleted.
 */
function identity(draft: Draft): void {
  const object = managedByHand(FavouriteDBInstanceKind, 0, {
    forProvider: { fancinessLevel: 5, ...(draft.has(0.5, 'version') && { version: '5.7' }) },
  });
  const born = comes(draft, object);
  const patch = draft.pick<object>(
    [
      { metadata: { annotations: { [annotationKeys.externalName]: 'renamed' } } },
      { spec: { forProvider: { version: '8.0' } } },
      { spec: { forProvider: { version: null } } },
    ],
    'edit',
  );
  const edited = after(draft, born, 'edited');
  draft.edit(edited, nameOf(object), patch);
  if (draft.has(0.6, 'goes')) goes(draft, nameOf(object), edited);
}

/**
 * A network is created, perhaps by a process that crashes at that time; an administrator checks the
 * creation.
 */
function network(draft: Draft): void {
  const object = managedByHand(NetworkKind);
  const born = comes(draft, object);
  for (const moment of [0.6, 0.8]) draft.at(moment, { type: 'clear mark', of: nameOf(object) });
  if (draft.has(0.4, 'labelled')) {
    draft.edit(after(draft, born, 'labelled'), nameOf(object), { metadata: { labels: { tier: 'two' } } });
  }
  if (draft.has(0.4, 'lost')) draft.at(draft.between(0.3, 1, 'lost'), { type: 'compact' });
  if (draft.has(0.6, 'goes')) goes(draft, nameOf(object), born);
}

const vaultToken = { namespace: adminNamespace, name: 'vault', key: 'token' };
const vault = {
  server: 'https://vault.test:8200',
  mountPath: 'secret',
  auth: { method: 'Token', token: { source: 'Secret', secretRef: vaultToken } },
};
const vaultConfig = objectOf(
  StoreConfigKind,
  { name: 'vault' },
  { spec: { type: 'Vault', defaultScope: 'simulated', vault } },
);

/** Two resources want one external name, one Secret, or one entry of a store; one of them is deleted. */
function rivals(draft: Draft): void {
  const kind = draft.pick(instanceKinds, 'kind');
  const wants = draft.pick(['name', 'secret', 'entry'] as const, 'what');
  const published = () => ({
    writeConnectionSecretToRef: undefined,
    publishConnectionDetailsTo: {
      name: 'shared',
      configRef: { name: draft.pick(['default', 'vault'], 'store') },
    },
  });
  const specs = {
    name: () => ({}),
    secret: () => ({ writeConnectionSecretToRef: { namespace: adminNamespace, name: 'shared' } }),
    entry: published,
  };
  const spec = specs[wants]();
  draft.have(secret(adminNamespace, 'vault', { token: 'vault-token' }), vaultConfig);
  for (const index of [0, 1]) {
    const object = managedByHand(kind, index, spec);
    const annotations = { [annotationKeys.externalName]: 'shared' };
    const named = wants === 'name' ? { ...object, metadata: { ...object.metadata, annotations } } : object;
    const born = comes(draft, named, 0.4);
    if (draft.has(0.6, 'goes', index)) {
      const gone = goes(draft, nameOf(object), born);
      if (draft.has(0.4, 'again', index))
        draft.at(after(draft, gone, 'again', index), { type: 'create', object: named });
    }
  }
}

/** A ProviderConfig goes while it is used, and those who use it come and go. */
function providerConfig(draft: Draft): void {
  const config = inventory.find((object) => kindOf(object) === ProviderConfigKind);
  const user = managedByHand(FavouriteDBInstanceKind);
  const born = comes(draft, user);
  if (config === undefined) return;
  const gone = after(draft, born, 'config gone');
  draft.at(gone, { type: 'delete', of: nameOf(config) });
  draft.at(after(draft, gone, 'dies'), { type: 'crash', downMs: 500 });
  if (draft.has(0.6, 'goes')) goes(draft, nameOf(user), gone);
}

const situations = [identity, network, rivals, providerConfig] as const;

const watched = ['FancySQLInstance', 'FavouriteDBInstance', 'AmbivalentDBInstance', 'Secret', undefined];

/**
 * One situation in which two things happen at nearly the same time, and nothing else, so that it is met often. At times
 * a watch is behind, or the process dies.
 */
export function closeCalls(draft: Draft): void {
  draft.pick(situations, 'situation')(draft.by('of it'));
  for (const index of [0, 1]) {
    const moment = draft.between(0, 0.9, 'late', index);
    const kind = draft.pick(watched, 'whose', index);
    const forMs = draft.chance('how long', index) * 40_000;
    if (draft.has(0.4, 'is late', index)) {
      draft.at(moment, { type: 'hold watches', ...(kind && { kind }), forMs });
    }
  }
  if (draft.has(0.3, 'dies')) draft.at(draft.chance('death'), { type: 'crash', downMs: 2_000 });
}
