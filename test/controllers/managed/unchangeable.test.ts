import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { available, isProgress, outOfService } from '../../../apis/core/v1alpha1/condition.ts';
import { generatedPassword } from '../../../controllers/credential.ts';
import type { Observation } from '../../../controllers/managed/connecting/external-client.ts';
import { finalizers, Scene } from '../managed-scene.ts';

const size = { isUpToDate: false, differing: ['spec.forProvider.size'] };
const stopped = { unchangeable: 'the instance is stopped', ready: outOfService('the instance is stopped') };
const busy = { unchangeable: 'the instance is backing up', ready: available(), operation: 'update' } as const;
const rotates: { value: string | undefined } = { value: undefined };

interface Row {
  readonly observation: Partial<Observation>;
  readonly rotates?: true;
  readonly policies?: readonly string[];
  readonly synced: string;
  readonly progress: string | undefined;
}

const rows: Readonly<Record<string, Row>> = {
  'nothing waits': {
    observation: { ...stopped, isUpToDate: true },
    synced: 'True/ReconcileSuccess',
    progress: 'Stalled OutOfService',
  },
  'a field waits for a person': {
    observation: { ...size, ...stopped },
    synced: 'False/ReconcileError: the instance is stopped; not applied yet: spec.forProvider.size',
    progress: 'Stalled OutOfService',
  },
  'a part that no field sets waits for a person': {
    observation: { isUpToDate: false, ...stopped },
    synced: 'False/ReconcileError: the instance is stopped',
    progress: 'Stalled OutOfService',
  },
  'a new password waits for a person': {
    observation: { isUpToDate: true, ...stopped },
    rotates: true,
    synced: 'False/ReconcileError: the instance is stopped; not applied yet: the password of its Secret',
    progress: 'Stalled OutOfService',
  },
  'a field waits for the end of an operation': {
    observation: { ...size, ...busy },
    synced: 'True/ReconcileSuccess: the instance is backing up; not applied yet: spec.forProvider.size',
    progress: 'Reconciling Ongoing',
  },
  'policies without Update are named first': {
    observation: { ...size, ...stopped },
    policies: ['Observe', 'Create', 'Delete'],
    synced:
      'True/ReconcileSuccess: not applied, because spec.managementPolicies do not allow Update: spec.forProvider.size; add Update, or undo the edit, or create a new resource',
    progress: 'Stalled OutOfService',
  },
};

describe('Synced names the change that cannot be made now, and its reason, and no update is tried', () => {
  for (const [title, { observation, synced, progress, policies, rotates: doesRotate }] of Object.entries(
    rows,
  )) {
    test(title, async () => {
      rotates.value = undefined;
      const credential = { ...generatedPassword, rotationOf: () => rotates.value };
      const scene = new Scene(
        { forProvider: {}, ...(policies && { managementPolicies: policies as never }) },
        { finalizers },
        { secretDetails: { credential } },
      );
      await scene.run();
      const updates = scene.external.count('update');
      scene.external.observation = observation;
      if (doesRotate) rotates.value = 'now';
      for (let runs = 0; runs < 3; runs += 1) await scene.run();
      assert.equal(scene.condition('Synced'), synced);
      assert.equal(scene.external.count('update'), updates);
      const shown = scene.object?.status?.conditions?.find(({ type }) => isProgress(type));
      assert.equal(shown && `${shown.type} ${shown.reason}`, progress);
    });
  }
});
