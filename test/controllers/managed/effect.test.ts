import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isProgress } from '../../../apis/core/v1alpha1/condition.ts';
import type { Progress } from '../../../controllers/managed/connecting/external-client.ts';
import { finalizers, Scene } from '../managed-scene.ts';

const differing = { isUpToDate: false, differing: ['spec.forProvider.size'] };
const minute = 60_000;
const slow = { name: 'op-1', takesMs: 20 * minute };

type Act = (scene: Scene) => unknown;
const hides: Act = ({ external }) => Object.assign(external, { isBlind: true });
const shows: Act = ({ external }) => Object.assign(external, { isBlind: false });
const differs: Act = ({ external }) => Object.assign(external, { observation: differing });
const equals: Act = ({ external }) => Object.assign(external, { observation: {} });
const isWrong: Act = ({ external }) =>
  Object.assign(external, { observation: { isUpToDate: true, credential: 'wrong' } });
const isAtWork: Act = ({ external }) =>
  Object.assign(external, { observation: { ...differing, operation: 'update' } });
const keeps: Act = (scene) => {
  scene.external.isDeletionSlow = true;
  scene.remove();
};
const ends: Act = ({ external }) => external.resources.clear();
const fails: Act = ({ external }) => external.failAt('create');
const works: Act = ({ external }) => Object.assign(external, { gate: () => {} });
const edits: Act = (scene) =>
  scene.edit({ spec: { forProvider: { edits: scene.object?.metadata.generation } } });
const restarts: Act = (scene) => scene.restart();
const passes =
  (minutes: number): Act =>
  ({ cluster }) => {
    cluster.clockMs += minutes * minute;
  };
/** The named call begins an operation, which ends with success after its time. */
const begins =
  (call: 'creation' | 'change'): Act =>
  ({ external, cluster }) => {
    external[call] = { operation: slow.name };
    let endMs = cluster.clockMs + slow.takesMs;
    external.progress = (): Progress => {
      if (cluster.clockMs < endMs) return { state: 'running' };
      endMs = cluster.clockMs + slow.takesMs;
      return { state: 'done' };
    };
  };

const synced = 'True/ReconcileSuccess';
const accepted = {
  create:
    'True/CreationAccepted: the external system accepted the creation, and does not show the external resource',
  update:
    'True/UpdateAccepted: the external system accepted the update, and does not show its effect: spec.forProvider.size',
  delete:
    'True/DeletionAccepted: the external system accepted the deletion, and still shows the external resource',
};
const blamed = {
  create:
    'False/ReconcileError: the external system accepted the creation, and does not show the external resource; look there: if it exists, the author of the stack has to correct observe. If it does not exist, the author has to correct create, or the external system ignores what it accepts',
  update:
    'False/ReconcileError: the external system accepted the update, and does not show its effect: spec.forProvider.size; look there: if it is as wanted, the author of the stack has to correct observe. If it is not, the author has to correct update, or the external system ignores what it accepts',
  delete:
    'False/ReconcileError: the external system accepted the deletion, and still shows the external resource; look there: if it does not exist, the author of the stack has to correct observe. If it exists, the author has to correct delete, or the external system ignores what it accepts',
};

/** Acts before each run, and Synced after it. */
type Step = readonly [acts: readonly Act[], synced: string];

const rows: Readonly<Record<string, readonly Step[]>> = {
  'a creation that never shows is reported after five minutes, until it shows': [
    [[hides], accepted.create],
    [[passes(4)], accepted.create],
    [[passes(1)], blamed.create],
    [[passes(60)], blamed.create],
    [[shows], synced],
  ],
  'a creation that shows late is not reported': [
    [[hides], accepted.create],
    [[passes(4)], accepted.create],
    [[shows, passes(60)], synced],
  ],
  'the five minutes begin when a creation is accepted, and not when one fails': [
    [[hides, fails], 'False/ReconcileError: no route to cloud'],
    [[passes(60), works], accepted.create],
    [[passes(5)], blamed.create],
  ],
  'the five minutes continue through a restart': [
    [[hides], accepted.create],
    [[passes(5), restarts, hides], blamed.create],
  ],
  'an operation that takes longer is not reported': [
    [[begins('creation'), hides], synced],
    [[passes(19)], synced],
    [[passes(1), shows], synced],
  ],
  'a creation whose operations end without effect is reported': [
    [[begins('creation'), hides], synced],
    [[passes(20)], accepted.create],
    [[passes(10)], accepted.create],
    [[passes(10)], blamed.create],
    [[passes(10)], blamed.create],
    [[shows, passes(10)], synced],
  ],
  'an update that never shows is reported after five minutes, until it shows': [
    [[], synced],
    [[passes(60), differs], accepted.update],
    [[passes(4)], accepted.update],
    [[passes(1)], blamed.update],
    [[passes(60)], blamed.update],
    [[equals], synced],
  ],
  'another difference later has five minutes of its own': [
    [[], synced],
    [[differs], accepted.update],
    [[equals, passes(4)], synced],
    [[differs, passes(4)], accepted.update],
    [[passes(5)], blamed.update],
  ],
  'an edit has five minutes of its own, also while the external system is at work': [
    [[], synced],
    [[differs], accepted.update],
    [[isAtWork, passes(10)], accepted.update],
    [[edits], synced],
    [[differs, passes(10)], accepted.update],
    [[passes(4)], accepted.update],
    [[edits, passes(1)], synced],
    [[], accepted.update],
    [[passes(5)], blamed.update],
  ],
  'an edit ends the report of the calls before it': [
    [[], synced],
    [[differs], accepted.update],
    [[passes(5)], blamed.update],
    [[edits], synced],
    [[passes(60)], accepted.update],
  ],
  'a change on which the external system is at work is not reported': [
    [[], synced],
    [[differs], accepted.update],
    [[isAtWork, passes(60)], accepted.update],
    [[equals], synced],
  ],
  'an update whose operations end without effect is reported': [
    [[], synced],
    [[begins('change'), differs], synced],
    [[passes(20)], accepted.update],
    [[], accepted.update],
    [[passes(20)], blamed.update],
    [[equals], synced],
  ],
  'a deletion that has no effect is reported after five minutes': [
    [[], synced],
    [[keeps], accepted.delete],
    [[passes(5)], blamed.delete],
  ],
};

/** Plays the steps with a new managed resource. */
async function plays(steps: readonly Step[], options: ConstructorParameters<typeof Scene>[2] = {}) {
  const scene = new Scene({ forProvider: {} }, { finalizers }, options);
  for (const [index, [acts, expected]] of steps.entries()) {
    for (const act of acts) act(scene);
    await scene.run();
    assert.equal(scene.condition('Synced'), expected, `step ${index}`);
  }
  return scene;
}

describe('Synced reports an accepted call that has no effect', () => {
  for (const [title, steps] of Object.entries(rows))
    test(title, async () => {
      await plays(steps);
    });

  test('a creation that may show later is reported after creationGraceMs', async () => {
    const steps: readonly Step[] = [
      [[hides], accepted.create],
      [[passes(19)], accepted.create],
      [[passes(1)], blamed.create],
    ];
    await plays(steps, { creationGraceMs: 20 * minute });
  });
});

test('a credential that the external system does not take is reported, and is not set again at once', async () => {
  const scene = new Scene({ forProvider: {} }, { finalizers });
  await scene.run();
  isWrong(scene);
  await scene.run();
  assert.match(scene.condition('Synced'), /^True\/UpdateAccepted: /);
  passes(5)(scene);
  const result = await scene.run();
  assert.match(scene.condition('Synced'), /^False\/ReconcileError: .*does not show its effect; look there/);
  assert.equal(result.type, 'requeue');
});

test('after a creation without effect, the resource is Stalled, the Event is a Warning, and the status is written once', async () => {
  const scene = await plays([
    [[hides], accepted.create],
    [[passes(5)], blamed.create],
  ]);
  const { status } = scene.object ?? {};
  const shown = status?.conditions?.find(({ type }) => isProgress(type));
  assert.equal(shown && `${shown.type} ${shown.reason}`, 'Stalled NoEffect');
  assert.equal(scene.condition('Ready'), 'False/Creating');
  assert.ok(scene.events.includes('Warning CannotCreateExternalResource'));
  await scene.run();
  assert.equal(scene.object?.status, status);
});

test('a deletion that takes effect late removes the finalizer', async () => {
  const scene = await plays([
    [[], synced],
    [[keeps], accepted.delete],
  ]);
  ends(scene);
  await scene.run();
  assert.equal(scene.object, undefined);
});
