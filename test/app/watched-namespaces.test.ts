import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import { connectionSecretType } from '../../apis/core/v1alpha1/meta.ts';
import { NamespaceKind } from '../../apis/core/v1alpha1/namespace.ts';
import { SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { watchedIn } from '../../app/watched-namespaces.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { TracedWorld } from '../trace/traced-world.ts';

describe('where alone a kind is watched', () => {
  const [claims, secrets] = [['team-a', 'team-b'], ['team-a']];
  type Stacks = Parameters<typeof watchedIn>[0];
  const stacks = [{ claims: [{ claim: FancySQLInstanceKind }] }] as unknown as Stacks;
  const kinds = [FancySQLInstanceKind, NamespaceKind, SecretKind, FavouriteDBInstanceKind];
  const none = undefined;
  for (const [name, limits, want] of [
    ['no flag: everywhere', {}, [none, none, none, none]],
    ['--namespace: claims, and their namespaces', { claimNamespaces: claims }, [claims, claims, none, none]],
    [
      '--secret-namespaces: secrets, too',
      { claimNamespaces: claims, secretNamespaces: secrets },
      [claims, claims, secrets, none],
    ],
  ] as const) {
    test(name, () => assert.deepEqual(kinds.map(watchedIn(stacks, limits)), want));
  }
});

describe('--namespace with two names: the process', () => {
  const claims = ['team-a', 'team-b'];
  const namespaces = { claims, secrets: [...claims, 'cloud-credentials'] };
  let world: TracedWorld;

  beforeEach(() => {
    world = new TracedWorld();
  });
  afterEach(() => world.simulation.kill());

  const claimed = (namespace: string) => world.claim('orders', undefined, { namespace });
  const claimIn = (namespace: string): Claim =>
    world.cluster.get(FancySQLInstanceKind, { namespace, name: 'orders' });
  const phaseIn = (namespace: string) => claimIn(namespace).status?.bindingPhase;
  const label = (name: string, labels: Readonly<Record<string, string>>) =>
    world.cluster.put(NamespaceKind, { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
  /** The kinds it watches in part. */
  const watchedInPart = () =>
    [...world.simulation.watched].filter((watched) => watched.includes(' ')).toSorted();
  const allClaims = claims.map((name) => `FancySQLInstance in ${name}`);
  /** The Secrets of the two providers, each by its name. */
  const providerSecrets = ['favourite-cloud', 'other-cloud'].map(
    (name) => `Secret in cloud-credentials metadata.name=${name}`,
  );
  const secretsOf = (...names: readonly string[]) =>
    names.map((name) => `Secret in ${name} type=${connectionSecretType}`);

  test('serves the claims of both; those of a third it neither watches nor touches', async () => {
    world.start({ namespaces });
    for (const name of ['team-a', 'team-b', 'team-c']) claimed(name);
    await world.pass(60);
    assert.deepEqual(['team-a', 'team-b', 'team-c'].map(phaseIn), ['Bound', 'Bound', undefined]);
    assert.equal(world.instances().length, 2);
    assert.ok(!world.simulation.writes.some((write) => write.includes('team-c')));
    assert.deepEqual(watchedInPart(), [
      ...allClaims,
      ...providerSecrets,
      ...secretsOf('cloud-credentials', ...claims),
    ]);
    assert.ok(!world.simulation.watched.has('FancySQLInstance'));
    // An object of one namespace does not affect the other namespace.
    world.cluster.delete(FancySQLInstanceKind, { namespace: 'team-b', name: 'orders' }, {});
    await world.pass(60);
    assert.equal(world.instances().length, 1);
    assert.equal(phaseIn('team-a'), 'Bound');
  });

  test('reads the labels of both, once something selects namespaces, and of no other', async () => {
    for (const name of ['favourite-small', 'favourite-large']) {
      const specTemplate = { namespaceSelector: { matchLabels: { stage: 'live' } } };
      world.edit(FavouriteDBInstanceClassKind, { name }, { specTemplate });
    }
    label('team-a', { stage: 'live' });
    label('team-b', { stage: 'test' });
    label('team-c', { stage: 'live' });
    world.start({ namespaces });
    for (const name of claims) claimed(name);
    await world.pass(60);
    assert.deepEqual(claims.map(phaseIn), ['Bound', 'Unbound']);
    const { message = '' } = getCondition(claimIn('team-b').status?.conditions, 'Ready');
    assert.match(message, /may not be claimed from namespace team-b/);
    const watched = watchedInPart().filter((each) => each.startsWith('Namespace'));
    assert.deepEqual(watched, ['Namespace metadata.name=team-a', 'Namespace metadata.name=team-b']);
    label('team-b', { stage: 'live' });
    await world.pass(60);
    assert.deepEqual(claims.map(phaseIn), ['Bound', 'Bound']);
  });

  test('a resource that a claim of a third namespace holds is no orphan', async () => {
    world.start();
    claimed('team-c');
    await world.pass(180);
    assert.equal(phaseIn('team-c'), 'Bound');
    world.start({ namespaces });
    world.simulation.writes.length = 0;
    await world.pass(120);
    assert.deepEqual(world.simulation.writes, []);
    assert.equal(world.instances().length, 1);
  });

  test('leaves secrets where they are without --secret-namespaces', async () => {
    world.start({ namespaces: { claims } });
    for (const name of claims) claimed(name);
    await world.pass(60);
    assert.deepEqual(claims.map(phaseIn), ['Bound', 'Bound']);
    assert.deepEqual(watchedInPart(), [
      ...allClaims,
      ...providerSecrets,
      `Secret type=${connectionSecretType}`,
    ]);
  });
});
