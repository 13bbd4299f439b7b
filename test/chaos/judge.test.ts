import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import type { Edits, Intents } from './intents.ts';
import { noEdits } from './intents.ts';
import type { Finding, Memory } from './judge.ts';
import { judge, noMemory } from './judge.ts';
import type { External, Observed } from './observed.ts';

const conditions = ['Ready', 'Synced'].map((type) => ({
  type,
  status: 'True' as const,
  reason: 'Fine',
  lastTransitionTime: '2026-01-01T00:00:00Z',
}));
const controlledBy = (object: Claim | Managed) => {
  const { apiVersion, kind, metadata } = object;
  return [{ apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '', controller: true }];
};

/** A claim that is Bound and all that belongs to it. */
function scene(name = 'one', policy: 'Delete' | 'Retain' = 'Delete') {
  const claim: Claim = {
    apiVersion: 'database.crossplane.io/v1alpha1',
    kind: 'FancySQLInstance',
    metadata: { namespace: 'team', name, uid: `claim-${name}` },
    spec: {
      resourceRef: { kind: 'FavouriteDBInstance', name: `managed-${name}` },
      writeConnectionSecretToRef: { name: `${name}-connection` },
    },
    status: { bindingPhase: 'Bound', conditions },
  };
  const managed: Managed = {
    apiVersion: 'database.fcp.crossplane.io/v1alpha3',
    kind: 'FavouriteDBInstance',
    metadata: { name: `managed-${name}`, uid: `managed-${name}` },
    spec: {
      claimRef: { kind: 'FancySQLInstance', namespace: 'team', name, uid: `claim-${name}` },
      reclaimPolicy: policy,
      writeConnectionSecretToRef: { namespace: 'credentials', name: `source-${name}` },
      forProvider: { fancinessLevel: 3 },
    },
    status: { bindingPhase: 'Bound', conditions },
  };
  const data = { password: Buffer.from(`password-${name}`).toString('base64') };
  const secret = (namespace: string, of: string, owner: Claim | Managed): Secret => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name: of, ownerReferences: controlledBy(owner) },
    data,
  });
  const external: External = {
    system: 'favourite',
    name: `managed-${name}`,
    owner: `favouritedbinstance managed-${name}`,
    identity: `identity-${name}`,
    password: `password-${name}`,
    fields: { fancinessLevel: 3 },
  };
  const target = secret('team', `${name}-connection`, claim);
  return { claim, managed, target, source: secret('credentials', `source-${name}`, managed), external };
}
type Scene = ReturnType<typeof scene>;

const observed = (...scenes: readonly Partial<Scene>[]): Observed => {
  const all = <T>(pick: (each: Partial<Scene>) => T | undefined): readonly T[] =>
    scenes.flatMap((each) => pick(each) ?? []);
  return {
    claims: all(({ claim }) => claim),
    managed: all(({ managed }) => managed),
    secrets: [...all(({ target }) => target), ...all(({ source }) => source)],
    externals: all(({ external }) => external),
  };
};
const intents = (wanted: readonly string[], given: Partial<Intents> = {}): Intents => ({
  claims: new Map(
    wanted.map((name) => {
      const isWanted = !name.startsWith('-');
      const intent = { kind: 'FancySQLInstance', namespace: 'team', name: name.replace(/^-/, ''), isWanted };
      return [`FancySQLInstance team/${intent.name}`, intent];
    }),
  ),
  managed: new Map(),
  edits: new Map(),
  ...given,
});
const edits = (of: string, change: Partial<Edits>) => ({ edits: new Map([[of, { ...noEdits, ...change }]]) });

describe('the judge', () => {
  test('finds nothing where all is as users want it', () => {
    const { violations, unmet, memory } = judge(intents(['one']), observed(scene()), noMemory);
    assert.deepEqual([violations, unmet], [[], []]);
    assert.deepEqual(memory, { identities: new Map([['managed-one', 'identity-one']]), retained: new Map() });
  });

  const one = scene();
  const two = scene('two');
  const other = (managed: Partial<Managed['metadata']>): Managed => ({
    ...one.managed,
    metadata: { ...one.managed.metadata, ...managed },
  });
  const remembered = { identities: new Map([['managed-one', 'former']]), retained: new Map() };
  const retained = {
    identities: new Map(),
    retained: new Map([['identity-gone', 'FavouriteDBInstance gone']]),
  };
  const secondManaged = other({ name: 'second', uid: 'second' });
  const stolen = { ...two.target, data: one.source.data! };

  const unbound: Claim = { ...one.claim, status: { conditions: [] } };
  const recoloured: Claim = { ...one.claim, metadata: { ...one.claim.metadata, labels: { colour: 'blue' } } };
  const [theClaim, theResource] = ['FancySQLInstance team/one', 'FavouriteDBInstance managed-one'] as const;
  const wanting = (of: string, change: Partial<Edits>) => intents(['one'], edits(of, change));
  /** A case: its world, and the findings that it must have, of which the rest are none. */
  interface Case {
    readonly wanted?: Intents;
    readonly world: readonly Partial<Scene>[];
    readonly memory?: Memory;
    /** At any moment. */
    readonly violations?: readonly string[];
    /** If they last. */
    readonly unmet?: readonly string[];
  }
  const cases: Readonly<Record<string, Case>> = {
    'two managed resources of one claim': {
      world: [one, { managed: secondManaged }],
      violations: [`${theResource}, FavouriteDBInstance second: belong to one claim`],
    },
    'two external resources of one managed resource': {
      world: [one, { external: { ...one.external, name: 'again' } }],
      violations: ['favourite managed-one, again: belong to one managed resource'],
    },
    "a secret with another claim's password": {
      wanted: intents(['one', 'two']),
      world: [one, { ...two, target: stolen }],
      violations: [`Secret team/two-connection: holds the password of ${theResource}, another claim's`],
    },
    'an external resource that was destroyed and created again': {
      world: [one],
      memory: remembered,
      violations: [`${theResource}: its external resource was destroyed and made again`],
    },
    'a kept external resource that was destroyed': {
      world: [one],
      memory: retained,
      violations: ['FavouriteDBInstance gone: what its policy keeps was destroyed'],
    },
    'a claim that disappeared without a deletion': {
      wanted: intents(['one', 'two']),
      world: [one],
      violations: ['FancySQLInstance team/two: is gone, and nobody deleted it'],
    },
    "a user's label that was overwritten": {
      wanted: wanting(theClaim, { labels: { colour: 'red' } }),
      world: [{ ...one, claim: recoloured }],
      violations: [`${theClaim}: a user's label colour is lost`],
    },
    "a user's field that was reverted": {
      wanted: wanting(theResource, { forProvider: { fancinessLevel: 4 } }),
      world: [one],
      violations: [`${theResource}: a user's spec.forProvider fancinessLevel is lost`],
    },
    'a claim that is not Bound': {
      world: [{ ...one, claim: unbound }],
      unmet: [
        `${theClaim}: Ready is Unknown (no reason)`,
        `${theClaim}: Synced is Unknown (no reason)`,
        `${theClaim}: is in no phase`,
      ],
    },
    'a deleted claim that still exists': {
      wanted: intents(['-one']),
      world: [one],
      unmet: [`${theClaim}: is not gone`, `${theResource}: names a claim that is gone`],
    },
    'an external resource and a Secret of a deleted claim': {
      wanted: intents(['-one']),
      world: [{ target: one.target, external: one.external }],
      unmet: ['favourite managed-one: is left over', 'Secret team/one-connection: is left over'],
    },
    'a Secret that differs from its source': {
      world: [{ ...one, target: { ...one.target, data: { ...one.target.data, more: '' } } }],
      unmet: [`${theClaim}: its secret differs from its source`],
    },
    'a password that the system does not accept': {
      world: [{ ...one, external: { ...one.external, password: 'another' } }],
      unmet: [`${theResource}: its password does not work`],
    },
    'a field that has another value in the system': {
      world: [{ ...one, external: { ...one.external, fields: { fancinessLevel: 9 } } }],
      unmet: [`${theResource}: field fancinessLevel is not in force`],
    },
    'a key of a user that a Secret lost': {
      wanted: wanting(theResource, { secretKeys: { own: 'x' } }),
      world: [one],
      unmet: [`${theResource}: a user's key own of its secret is lost`],
    },
  };
  const texts = (found: readonly Finding[]) => found.map(({ object, problem }) => `${object}: ${problem}`);
  for (const [name, given] of Object.entries(cases)) {
    test(`finds ${name}`, () => {
      const { wanted = intents(['one']), world, memory = noMemory } = given;
      const judgement = judge(wanted, observed(...world), memory);
      if (given.violations) assert.deepEqual(texts(judgement.violations), given.violations);
      else assert.deepEqual(texts(judgement.unmet), given.unmet);
    });
  }

  test('a resource that its policy keeps is remembered once it was Bound, and stays when its claim is deleted', () => {
    const held = scene('one', 'Retain');
    const { memory } = judge(intents(['one']), observed(held), noMemory);
    assert.deepEqual(memory.retained, new Map([['identity-one', 'FavouriteDBInstance managed-one']]));
    const released: Managed = { ...held.managed, status: { bindingPhase: 'Released', conditions } };
    const { target: _target, claim: _claim, ...rest } = held;
    const afterwards = judge(intents(['-one']), observed({ ...rest, managed: released }), memory);
    assert.deepEqual([afterwards.violations, afterwards.unmet], [[], []]);
  });

  test('a resource that a user created is wanted until the user deletes it', () => {
    const { claimRef: _, ...spec } = one.managed.spec;
    const alone = { ...one, managed: { ...one.managed, spec, status: { conditions } } };
    const { target: _target, claim: _claim, ...rest } = alone;
    const made = (isWanted: boolean) => {
      const intent = { kind: 'FavouriteDBInstance', name: 'managed-one', isWanted };
      return intents([], { managed: new Map([[theResource, intent]]) });
    };
    assert.deepEqual(judge(made(true), observed(rest), noMemory).unmet, []);
    const left = judge(made(false), observed(rest), noMemory);
    assert.deepEqual(texts(left.unmet), [`${theResource}: is not gone`]);
    const lost = judge(made(true), observed(), noMemory);
    assert.deepEqual(texts(lost.violations), [`${theResource}: is gone, and nobody deleted it`]);
  });
});
