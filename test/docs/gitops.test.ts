import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import mapValues from 'lodash/mapValues.js';
import { parse, parseAllDocuments } from 'yaml';
import type { ConditionFacts } from '../../apis/core/v1alpha1/condition.ts';
import {
  available,
  availableWithTrouble,
  creating,
  notReady,
  reconcileError,
  reconcilePaused,
  reconcileSuccess,
  reportedStatus,
  setConditions,
  unavailable,
} from '../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { JsonSchema } from '../../apis/crd.ts';
import { objectSchema } from '../../apis/crd.ts';
import type { ClaimFacts } from '../../controllers/claim/claim-status.ts';
import { withClaimStatus } from '../../controllers/claim/claim-status.ts';
import type { ManagedStatusFacts } from '../../controllers/managed/recording/status.ts';
import { withManagedStatus } from '../../controllers/managed/recording/status.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { FavouriteDBInstanceKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { lua } from '../../tools/offline/debian-program.ts';
import { definitionsIn } from '../apis/definitions.ts';
import { claim, deletionTimestamp, managed, now, resourceClass } from '../controllers/objects.ts';
import type { KStatus } from './kstatus.ts';
import { kstatusOf } from './kstatus.ts';
import { projectRoot } from './project-copy.ts';

type Health = 'Healthy' | 'Progressing' | 'Degraded' | 'Suspended';

/** An object as the API server stores it before a controller has seen it. */
const created = <T extends KubernetesObject>(object: T, { properties }: JsonSchema): T => ({
  ...object,
  status: properties?.status?.default,
});

const claimWith = (ready: ConditionFacts, facts: Partial<ClaimFacts> = {}) =>
  withClaimStatus(claim(), { conditions: [ready, reconcileSuccess()], ...facts }, now);
const managedWith = (facts: Partial<ManagedStatusFacts>, subject = managed()) =>
  withManagedStatus(subject, { synced: reconcileSuccess(), isCredentialInForce: true, ...facts }, now);
const failing = (errorClass: string) => reconcileError('observe failed: no', { class: errorClass });

const provider = (...facts: readonly ConditionFacts[]): KubernetesObject => {
  const metadata = { name: 'default', generation: 1 };
  const conditions = setConditions([], facts, { now, generation: 1 });
  const status = { users: 0, observedGeneration: 1, conditions };
  return { apiVersion: 'fcp.crossplane.io/v1alpha3', kind: 'ProviderConfig', metadata, status } as never;
};
const ready = (status: 'True' | 'Unknown', reason: string) => ({ type: 'Ready', status, reason }) as const;
const paused = (facts: ConditionFacts) =>
  managedWith({ synced: reconcilePaused('paused'), ready: facts, isStuck: true });
const bound = claimWith(available(), { bindingPhase: 'Bound' });
const edited = <T extends KubernetesObject>(object: T): T => ({
  ...object,
  metadata: { ...object.metadata, generation: (object.metadata.generation ?? 0) + 1 },
});

/** Rules about objects that all have this status and this health. */
const all = (kstatus: KStatus, argo: Health, objects: Readonly<Record<string, KubernetesObject>>) =>
  mapValues(objects, (object) => ({ object, kstatus, argo }));

const cases = {
  ...all('InProgress', 'Progressing', {
    'a new claim is in progress': created(claim(), objectSchema(FancySQLInstanceKind)),
    'a claim that waits for its resource is in progress': claimWith(creating()),
    'a claim whose provider does not answer is in progress': claimWith(notReady('ProviderUnreachable', 'no')),
    'a claim whose edit no controller has seen is in progress': edited(bound),
    'a new managed resource is in progress': created(managed(), objectSchema(FavouriteDBInstanceKind)),
    'a managed resource that is being created is in progress': managedWith({ ready: creating() }),
    'a managed resource that is not observed yet is in progress': managedWith({}),
    'a managed resource whose update is under way is in progress': managedWith({
      ready: available(),
      operation: [{ type: 'AsyncOperation', status: 'False', reason: 'Ongoing' }],
    }),
    'a managed resource that cannot be observed for a while is in progress': managedWith({
      synced: failing('Unreachable'),
      ready: available(),
    }),
    'a managed resource that fails for an unknown cause is in progress': managedWith({
      synced: failing('Unknown'),
    }),
  }),
  ...all('Failed', 'Degraded', {
    'a claim without a class needs a person': claimWith(notReady('NoMatchingClass', 'none')),
    'a claim whose resource needs a person needs one, too': claimWith(
      notReady('ResourceFailing', 'waiting'),
      {
        isStuck: true,
      },
    ),
    'a managed resource with refused credentials needs a person': managedWith({
      synced: failing('CredentialsRefused'),
      ready: creating(),
    }),
    'a managed resource with an edit that has no effect needs a person': managedWith({
      synced: reconcileError('cannot change'),
      ready: available(),
      isStuck: true,
    }),
    'a managed resource that policies do not allow to create needs a person': managedWith({
      ready: { ...unavailable('missing'), error: { class: 'ExternalMissing' } },
    }),
  }),
  ...all('Current', 'Healthy', {
    'a Bound claim is current': bound,
    'a claim that works is current, also if its resource reports a failure': claimWith(
      availableWithTrouble('no answer'),
      { isStuck: true },
    ),
    'a managed resource that is Ready is current': managedWith({ ready: available() }),
    'a class is current': resourceClass('small'),
    'a provider that works is current': provider(ready('True', 'CredentialsAccepted')),
  }),
  // Argo CD itself calls an object that is being deleted Progressing.
  ...all('Terminating', 'Healthy', {
    'a claim that is being deleted is terminating': {
      ...bound,
      metadata: { ...bound.metadata, deletionTimestamp },
    },
  }),
  ...all('Current', 'Suspended', {
    'a paused managed resource that works is current': paused(available()),
  }),
  ...all('Failed', 'Suspended', {
    'a paused managed resource that does not work needs a person': paused(creating()),
  }),
  ...all('InProgress', 'Degraded', {
    'a provider that does not work is degraded in Argo CD': provider(notReady('CredentialsRefused', 'no')),
  }),
  ...all('InProgress', 'Healthy', {
    'a provider that nothing uses is healthy in Argo CD': provider(ready('Unknown', 'Unused')),
  }),
};

describe('kstatus', () => {
  for (const [rule, { object, kstatus }] of Object.entries(cases)) {
    test(rule, () => assert.equal(kstatusOf(object), kstatus));
  }

  test('a status that is reported again does not change', () => {
    const facts = [notReady('NoMatchingClass', 'none'), reconcileSuccess()];
    const { conditions } = reportedStatus([], facts, { now, generation: 1 });
    const later = new Date(now.getTime() + 60_000);
    assert.deepEqual(reportedStatus(conditions, facts, { now: later, generation: 1 }).conditions, conditions);
  });

  test('the conditions of kstatus disappear when they are not true any more', () => {
    const at = { now, generation: 1 };
    const typesAfter = (...reports: readonly (readonly ConditionFacts[])[]) => {
      let conditions: ReturnType<typeof reportedStatus>['conditions'] = [];
      for (const report of reports) ({ conditions } = reportedStatus(conditions, report, at));
      return conditions.map(({ type }) => type);
    };
    const stalled = [notReady('NoMatchingClass', 'none'), reconcileSuccess()];
    const creatingIt = [creating(), reconcileSuccess()];
    assert.deepEqual(typesAfter(stalled), ['Ready', 'Synced', 'Stalled']);
    assert.deepEqual(typesAfter(stalled, creatingIt), ['Ready', 'Synced', 'Reconciling']);
    assert.deepEqual(typesAfter(creatingIt, [available(), reconcileSuccess()]), ['Ready', 'Synced']);
  });
});

const patch = parse(readFileSync(join(projectRoot, 'deploy/argocd/health-checks.yaml'), 'utf8'));
const checks = parse(patch.data['resource.customizations']) as Readonly<
  Record<string, { readonly 'health.lua': string }>
>;

/** A JSON value as Lua. */
function luaOf(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map(luaOf).join()}}`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).filter(([, each]) => each !== undefined);
  return `{${fields.map(([key, each]) => `[${JSON.stringify(key)}]=${luaOf(each)}`).join()}}`;
}

const luaProgram = await lua.support();
const withoutLua: string | false = luaProgram.by === 'none' ? luaProgram.reason : false;

describe('the health checks of Argo CD report the health that a row expects', { skip: withoutLua }, () => {
  let results: readonly string[] = [];
  before(() => {
    const { 'health.lua': script = '' } = Object.values(checks)[0] ?? {};
    const objects = Object.values(cases).map(({ object }) => luaOf(object));
    // As in Argo CD, a script has the functions of the base library, and no other library.
    const program = `local script = ${JSON.stringify(script).replaceAll('\\n', '\\\n')}
      for _, object in ipairs({${objects.join()}}) do
        local check = assert(loadstring(script))
        setfenv(check, { obj = object, ipairs = ipairs, pairs = pairs, next = next })
        local health = check()
        assert(type(health.message) == "string")
        print(health.status)
      end`;
    const path = luaProgram.by === 'none' ? '' : luaProgram.path;
    const { stdout, stderr } = spawnSync(path, ['-'], { input: program, encoding: 'utf8' });
    assert.equal(stderr, '');
    results = stdout.trim().split('\n');
  });

  for (const [index, [rule, { argo }]] of Object.entries(cases).entries()) {
    test(rule, () => assert.equal(results[index], argo));
  }
});

test('every group has the health check of Argo CD', () => {
  const groups = new Set([...definitionsIn('crds').values()].map(({ spec }) => `${spec.group}/*`));
  assert.deepEqual(Object.keys(checks).toSorted(), [...groups].toSorted());
  assert.equal(new Set(Object.values(checks).map((each) => each['health.lua'])).size, 1);
});

test('the examples for PostgreSQL sync in the order in which they need each other', () => {
  const waves = readdirSync(join(projectRoot, 'examples/postgresql'))
    .toSorted()
    .map((file) => {
      const objects = parseAllDocuments(readFileSync(join(projectRoot, 'examples/postgresql', file), 'utf8'));
      const found = objects.map(
        (each) => each.getIn(['metadata', 'annotations', 'argocd.argoproj.io/sync-wave']) ?? '0',
      );
      return [file, [...new Set(found)]];
    });
  assert.deepEqual(waves, [
    ['00-provider.yaml', ['-2']],
    ['10-classes.yaml', ['-1']],
    ['20-static-database.yaml', ['0']],
    ['30-claims.yaml', ['0']],
    ['40-roles-and-grants.yaml', ['0']],
  ]);
});
