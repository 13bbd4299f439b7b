import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ReadyFacts } from '../../apis/core/v1alpha1/condition.ts';
import { isProgress, reconcileSuccess } from '../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { Observation } from '../../controllers/managed/connecting/external-client.ts';
import { withManagedStatus } from '../../controllers/managed/recording/status.ts';
import {
  canBeChanged,
  meaningOfState as meaningOfDBInstance,
} from '../../stacks/aws/db-instance/desired-state.ts';
import { meaningOfState as meaningOfInstance } from '../../stacks/aws/instance/external-client.ts';
import { observationOf as observationOfNodeGroup } from '../../stacks/aws/node-group/desired-state.ts';
import { meaningOfState as meaningOfSubnet } from '../../stacks/aws/subnet/external-client.ts';
import { observationOf as observationOfRedis } from '../../stacks/gcp/cloud-memorystore-instance/desired-state.ts';
import { managed } from '../controllers/objects.ts';

type Meaning = Pick<Observation, 'operation' | 'ready'>;

/** Ready, the operation, the class of the error, and what kstatus reads of a resource in that state. */
function lineOf({ ready, operation }: Meaning): string {
  const facts = { synced: reconcileSuccess(), ready: ready as ReadyFacts, isCredentialInForce: true };
  const { status } = withManagedStatus(managed(), facts, new Date(0));
  const progress = status?.conditions?.find(({ type }) => isProgress(type));
  const shown = progress === undefined ? 'Current' : `${progress.type} ${progress.reason}`;
  return [ready?.reason, operation ?? '-', ready?.error?.class ?? '-', shown].join(' | ');
}

const usable = 'Available | - | - | Current';
const working = 'Available | update | - | Current';
const creating = 'Creating | create | - | Reconciling Creating';
const deleting = 'Deleting | delete | - | Reconciling Deleting';
const passing = 'Unavailable | update | - | Reconciling Unavailable';
const broken = 'Unavailable | - | OutOfService | Stalled OutOfService';

const nodeGroup = (status: string): Meaning =>
  observationOfNodeGroup(
    { ...managed({ forProvider: {} }), metadata: { name: 'nodes' } } as never,
    { name: 'nodes', status, issues: [], tags: {}, autoscalingGroups: [] } as never,
  );
const redis = (facts: object): Meaning =>
  observationOfRedis(
    { ...(managed({ forProvider: {} }) as Managed) } as never,
    { name: 'projects/p/locations/l/instances/i', state: 'READY', ...facts } as never,
  );

/** Every state that the services document (RDS, EC2, EKS, Memorystore), and what a user sees. */
const tables: Readonly<
  Record<
    string,
    { readonly of: (state: string) => Meaning; readonly states: Readonly<Record<string, string>> }
  >
> = {
  'a DB instance of RDS': {
    of: (state) => meaningOfDBInstance({ DBInstanceStatus: state }),
    states: {
      available: usable,
      'backing-up': working,
      'configuring-associate-roles': working,
      'configuring-enhanced-monitoring': working,
      'configuring-iam-database-auth': working,
      'configuring-log-exports': working,
      'converting-to-vpc': passing,
      creating,
      'delete-precheck': deleting,
      deleting,
      failed: broken,
      'inaccessible-encryption-credentials': broken,
      'inaccessible-encryption-credentials-recoverable': broken,
      'incompatible-create': broken,
      'incompatible-network': broken,
      'incompatible-option-group': broken,
      'incompatible-parameters': broken,
      'incompatible-restore': broken,
      'insufficient-capacity': broken,
      maintenance: working,
      modifying: working,
      'moving-to-vpc': passing,
      rebooting: passing,
      renaming: passing,
      'resetting-master-credentials': working,
      'restore-error': broken,
      starting: passing,
      stopped: broken,
      stopping: passing,
      'storage-config-upgrade': passing,
      'storage-full': broken,
      'storage-initialization': usable,
      'storage-optimization': usable,
      upgrading: passing,
    },
  },
  'an instance of EC2': {
    of: (state) => meaningOfInstance({ state, tags: {} }),
    states: {
      pending: creating,
      running: usable,
      'shutting-down': deleting,
      stopped: broken,
      stopping: passing,
      terminated: broken,
    },
  },
  'an instance of EC2 that is stopped for a change of its type': {
    of: (state) => meaningOfInstance({ state, tags: { 'crossplane-stopped-for': 'instanceType' } }),
    states: { pending: passing, stopped: 'Unavailable | - | - | Reconciling Unavailable' },
  },
  'a subnet': {
    of: meaningOfSubnet,
    states: {
      available: usable,
      failed: broken,
      'failed-insufficient-capacity': broken,
      pending: creating,
    },
  },
  'a node group of EKS': {
    of: nodeGroup,
    states: {
      ACTIVE: usable,
      CREATE_FAILED: broken,
      CREATING: creating,
      DEGRADED: broken,
      DELETE_FAILED: broken,
      DELETING: deleting,
      UPDATING: working,
    },
  },
  'an instance of Memorystore': {
    of: (state) => redis({ state }),
    states: {
      CREATING: creating,
      DELETING: deleting,
      FAILING_OVER: passing,
      IMPORTING: passing,
      MAINTENANCE: passing,
      READY: usable,
      REPAIRING: passing,
      UPDATING: passing,
    },
  },
};

describe('every state that a service documents', () => {
  for (const [what, { of, states }] of Object.entries(tables)) {
    test(`of ${what} ends by itself, or is Stalled with a class`, () => {
      const found = Object.keys(states).map((state) => [state, lineOf(of(state))]);
      assert.deepEqual(Object.fromEntries(found), states);
    });
  }

  test('a Redis instance whose key cannot be used is Stalled', () => {
    const suspended = redis({ suspensionReasons: ['CUSTOMER_MANAGED_KEY_ISSUE'] });
    assert.equal(lineOf(suspended), broken);
    assert.equal(suspended.ready?.message, 'the instance is READY (CUSTOMER_MANAGED_KEY_ISSUE)');
  });

  test('RDS accepts changes in the states that it documents for them', () => {
    const states = Object.keys(tables['a DB instance of RDS']?.states ?? {});
    const changeable = states.filter((state) => canBeChanged({ DBInstanceStatus: state }));
    assert.deepEqual(changeable, [
      'available',
      'storage-full',
      'storage-initialization',
      'storage-optimization',
    ]);
  });
});
