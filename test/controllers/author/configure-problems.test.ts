import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { optional, text } from '../../../apis/core/schema.ts';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../../apis/core/v1alpha1/class.ts';
import { getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import { defineManaged } from '../../../apis/core/v1alpha1/define-managed.ts';
import { cloudClients } from '../../../controllers/author/cloud-clients.ts';
import { defineStack, satisfies, service } from '../../../controllers/author/define-stack.ts';
import { provisionedManaged } from '../../../controllers/claim-binding/provision.ts';
import { describeBug } from '../../../controllers/stack-bug.ts';
import { FancySQLInstanceKind } from '../../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { AmbivalentDBInstanceClassKind } from '../../../stacks/demo-clouds/kinds/ocp/v1alpha1/ambivalent-db-instance.ts';
import { ProviderConfigKind, ProviderKind } from '../../../stacks/demo-clouds/kinds/ocp/v1alpha1/provider.ts';
import { recordedLog } from '../../fakes/recorded-log.ts';
import { FakeCluster } from '../cluster-fake.ts';
import { FakeExternal, startStack } from '../external-fake.ts';
import {
  claim,
  claimKind,
  classKind,
  classRef,
  service as handMade,
  managedKind,
  resourceClass,
} from '../objects.ts';

const DatabaseKind = defineManaged(
  {
    group: 'shop.example.org',
    version: 'v1',
    kind: 'Database',
    plural: 'databases',
    stack: 'shop',
    description: 'A database.',
  },
  z
    .object({ ambivalence: z.int(), engineVersion: optional(text('Of FancySQL.')) })
    .describe('As it should be.'),
  {},
);

/** The claim service of a stack whose `configure` yields that, whatever its type is. */
function serviceYielding(forProvider: unknown) {
  const { claims } = defineStack({
    name: 'shop',
    provider: {
      provider: ProviderKind,
      providerConfig: ProviderConfigKind,
      connect: cloudClients(() => undefined),
    },
    services: [
      service({
        managed: DatabaseKind,
        externalNames: 'deterministic',
        external: () => ({}) as never,
        claims: [
          satisfies({
            claim: FancySQLInstanceKind,
            class: AmbivalentDBInstanceClassKind,
            configure: () => ({ forProvider: forProvider as object }),
          }),
        ],
      }),
    ],
  });
  return claims[0]!;
}

const aClaim: Claim = {
  apiVersion: 'database.crossplane.io/v1alpha1',
  kind: 'FancySQLInstance',
  metadata: { namespace: 'team', name: 'db', uid: '1' },
  spec: {},
  status: { bindingPhase: 'Unbound' },
};
const aClass = (forProvider: object = { ambivalence: 3 }): Class => ({
  apiVersion: 'database.ocp.crossplane.io/v1alpha1',
  kind: 'AmbivalentDBInstanceClass',
  metadata: { name: 'small' },
  specTemplate: { forProvider, writeConnectionSecretsToNamespace: 'infra' } as Class['specTemplate'],
});
const made = (yielded: unknown, forClaim = aClaim, forClass = aClass()) =>
  provisionedManaged(serviceYielding(yielded), forClaim, forClass).spec.forProvider;

const mistakes: Readonly<Record<string, readonly [yielded: unknown, reported: string]>> = {
  'a misspelt field': [
    { ambivalence: 3, engineVerion: '5' },
    'forProvider.engineVerion, which Database does not have',
  ],
  'a field of another type': [
    { ambivalence: 'x' },
    'forProvider.ambivalence of a type that Database does not accept (expected number, received string)',
  ],
  'no required field': [{}, 'no forProvider.ambivalence, which Database requires'],
  'a misspelt one': [
    { ambivalense: 3 },
    'forProvider.ambivalense, which Database does not have; no forProvider.ambivalence, which Database requires',
  ],
  nothing: [undefined, 'no forProvider'],
  'a list': [[], 'no forProvider'],
};

describe('configure of a stack yields', () => {
  for (const [name, [yielded, reported]] of Object.entries(mistakes)) {
    test(`${name}: the message names the stack's mistake`, () => {
      const isTold = (error: unknown): boolean => {
        assert.ok(error instanceof TypeError);
        assert.equal(error.message, `configure returned ${reported}`);
        assert.match(
          describeBug(error),
          /^bug in the stack shop: .* \(TypeError at author\/configure-problems\.test\.ts:\d+\)$/,
        );
        return true;
      };
      assert.throws(() => made(yielded), isTold);
    });
  }

  test('a compatible class provisions the resource', () => {
    const forProvider = { ambivalence: 3, engineVersion: '5' };
    assert.deepEqual(made(forProvider), forProvider);
  });

  test('the API server decides about a class that violates its own schema', () => {
    for (const forProvider of [{}, { ambivalence: 3, newer: 1 }, { ambivalence: 'x' }]) {
      assert.deepEqual(made(forProvider, aClaim, aClass(forProvider)), forProvider);
    }
  });

  test('the API server decides about a claim that violates its own schema', () => {
    const wrong = { ...aClaim, spec: { version: 5 } as Claim['spec'] };
    assert.deepEqual(made({ ambivalence: 3, engineVersion: 5 }, wrong), { ambivalence: 3, engineVersion: 5 });
  });
});

test('an invalid result of configure is reported on the claim as a bug, and nothing is recorded or created', async () => {
  const cluster = new FakeCluster();
  cluster.put(classKind, resourceClass('small'));
  cluster.put(claimKind, claim({ classRef: classRef('small') }));
  const log = recordedLog();
  const problemsOf = () => ['forProvider.sise, which FavouriteDBInstance does not have'];
  const services = [{ ...handMade, problemsOf }];
  const process = startStack(cluster, new FakeExternal(), { services, log });
  await process.settle();
  const [{ spec, status }] = cluster.all<Claim>(claimKind) as [Claim];
  assert.match(
    getCondition(status?.conditions, 'Synced').message ?? '',
    /^bug in the stack fcp: configure returned forProvider\.sise, which FavouriteDBInstance does not have \(TypeError/,
  );
  assert.equal(spec.resourceRef, undefined);
  assert.deepEqual(cluster.all(managedKind), []);
  process.stop();
});
