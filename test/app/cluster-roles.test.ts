import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import map from 'lodash/map.js';
import mapValues from 'lodash/mapValues.js';
import { parseAllDocuments } from 'yaml';
import type { ServedKinds } from '../../app/cluster-roles.ts';
import { processRoles, roleManifests, servedKinds, userRoles } from '../../app/cluster-roles.ts';
import { allStacks } from '../../app/stacks.ts';
import { createFcpStack } from '../../stacks/demo-clouds/fcp/stack.ts';
import type { Role } from '../docs/manifests.ts';
import { permissionsOf } from '../docs/manifests.ts';

const of = (group: string, plural: string) => ({ group, plural });
const names = (kinds: ServedKinds): Readonly<Record<string, readonly string[]>> =>
  mapValues(kinds, (some) => some.map(({ group, plural }) => `${group}/${plural}`));

describe('the kinds that stacks serve', () => {
  test('are the declared kinds, by their use', () => {
    assert.deepEqual(names(servedKinds([createFcpStack()])), {
      claims: ['database.crossplane.io/fancysqlinstances'],
      classes: ['database.fcp.crossplane.io/favouritedbinstanceclasses'],
      provisioned: ['database.fcp.crossplane.io/favouritedbinstances'],
      others: ['network.fcp.crossplane.io/networks'],
      providers: ['fcp.crossplane.io/providers'],
      providerConfigs: ['fcp.crossplane.io/providerconfigs'],
    });
  });

  test('contain a claim kind once that several stacks serve', () => {
    const { claims } = names(servedKinds(allStacks));
    assert.deepEqual(claims, [...new Set(claims)]);
  });
});

const kinds: ServedKinds = {
  claims: [of('queues.org', 'anyqueues')],
  classes: [of('mq.org', 'queueclasses')],
  provisioned: [of('mq.org', 'queues')],
  others: [of('mq.org', 'topics')],
  providers: [of('mq.org', 'providers'), of('other.org', 'providers')],
  providerConfigs: [of('mq.org', 'providerconfigs')],
};

/** The rights in the manifests, as the API server would read them: role → resource → verbs. */
const granted = (manifests: string) =>
  Object.fromEntries(
    parseAllDocuments(manifests).map((document) => {
      const role = document.toJS() as Role;
      assert.equal(role.kind, 'ClusterRole');
      return [role.metadata.name, permissionsOf(role)];
    }),
  );

test('the role of the process has the verbs that it needs for each kind, and no others', () => {
  assert.deepEqual(granted(roleManifests(processRoles(kinds), 'Made by hand.')), {
    'services-stack-claims': {
      'queues.org/anyqueues': ['get', 'list', 'patch', 'watch'],
      'queues.org/anyqueues/status': ['patch'],
      'queues.org/anyqueues/finalizers': ['update'],
    },
    'services-stack': {
      'mq.org/queues': ['create', 'delete', 'get', 'list', 'patch', 'watch'],
      'mq.org/queues/status': ['patch'],
      'mq.org/queues/finalizers': ['update'],
      'mq.org/topics': ['get', 'list', 'patch', 'watch'],
      'mq.org/topics/status': ['patch'],
      'mq.org/topics/finalizers': ['update'],
      'mq.org/queueclasses': ['list', 'watch'],
      'mq.org/providers': ['list', 'patch', 'watch'],
      'other.org/providers': ['list', 'patch', 'watch'],
      'secrets.crossplane.io/storeconfigs': ['list', 'patch', 'watch'],
      'mq.org/providerconfigs': ['list', 'patch', 'watch'],
      'mq.org/providerconfigs/status': ['patch'],
      'mq.org/providers/status': ['patch'],
      'other.org/providers/status': ['patch'],
      'secrets.crossplane.io/storeconfigs/status': ['patch'],
      'apiextensions.k8s.io/customresourcedefinitions': ['get'],
    },
    'services-stack-secrets': { '/secrets': ['create', 'delete', 'get', 'list', 'patch', 'watch'] },
    'services-stack-namespaces': { '/namespaces': ['get', 'list', 'watch'] },
    'services-stack-events': { '/events': ['create', 'list', 'patch'] },
  });
});

test('the roles of users edit or read claims, and read classes', () => {
  assert.deepEqual(granted(roleManifests(userRoles(kinds), 'Made by hand.')), {
    'services-stack-claims-edit': {
      'queues.org/anyqueues': [
        'create',
        'delete',
        'deletecollection',
        'get',
        'list',
        'patch',
        'update',
        'watch',
      ],
    },
    'services-stack-claims-view': { 'queues.org/anyqueues': ['get', 'list', 'watch'] },
    'services-stack-browse': { 'mq.org/queueclasses': ['get', 'list', 'watch'] },
  });
});

test('the names of the roles begin with that of the product that runs the stacks', () => {
  const roles = [...processRoles(kinds, { name: 'queues' }), ...userRoles(kinds, { name: 'queues' })];
  const rolesOfProcess = ['queues-claims', 'queues', 'queues-secrets', 'queues-namespaces', 'queues-events'];
  const rolesOfUsers = ['queues-claims-edit', 'queues-claims-view', 'queues-browse'];
  assert.deepEqual(map(roles, 'name'), [...rolesOfProcess, ...rolesOfUsers]);
});

test('the manifests name their source and the reason of each rule', () => {
  const text = roleManifests(processRoles(kinds), 'Made by hand.');
  assert.match(text, /^# Made by hand\.\n# The rights of the process on claims\.\napiVersion: /);
  const otherRules = '  # Users create and delete the other managed resources.\n  - apiGroups: [mq.org]\n';
  assert.ok(text.includes(`\n${otherRules}`));
});
