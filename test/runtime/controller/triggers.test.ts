import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { of } from 'rxjs';
import type { Change } from '../../../runtime/cache/store.ts';
import { versionKey } from '../../../runtime/cache/written-versions.ts';
import type { Predicate, Property, Trigger, Woken } from '../../../runtime/controller/triggers.ts';
import {
  allOf,
  anyOf,
  appears,
  becomes,
  changed,
  disappears,
  exists,
  is,
  triggerBy,
  triggersIn,
  unchanged,
} from '../../../runtime/controller/triggers.ts';
import type { Asking } from '../../../runtime/controller/urgency.ts';
import { recordedLog } from '../../fakes/recorded-log.ts';
import type { Widget } from '../widgets.ts';
import { stored, WidgetKind } from '../widgets.ts';

const labelled = (name: string, labels: Record<string, string>): Widget => {
  const widget = stored(name, 1);
  return { ...widget, metadata: { ...widget.metadata, labels } };
};
const red = labelled('a', { colour: 'red' });
const green = labelled('a', { colour: 'green' });
const added: Change<Widget> = { type: 'added', object: red };
const repainted: Change<Widget> = { type: 'modified', previous: red, object: green };
const touched: Change<Widget> = { type: 'modified', previous: red, object: labelled('a', { colour: 'red' }) };
const deleted: Change<Widget> = { type: 'deleted', object: red };
const all = { added, repainted, touched, deleted };

const labels: Property<Widget> = ({ metadata }) => metadata.labels;
const uid: Property<Widget> = ({ metadata }) => metadata.uid;
const isGreen = (widget: Widget): boolean => widget.metadata.labels?.colour === 'green';
const isRed = (widget: Widget): boolean => !isGreen(widget);

describe('predicates of a change', () => {
  const cases: Record<string, readonly [holds: Predicate<Widget>, of: (keyof typeof all)[]]> = {
    appears: [appears, ['added']],
    disappears: [disappears, ['deleted']],
    exists: [exists, ['added', 'repainted', 'touched']],
    'changed, by value': [changed(labels), ['repainted']],
    'changed in one of several': [changed(uid, labels), ['repainted']],
    'unchanged, of what was there before': [unchanged(labels), ['touched']],
    is: [is(isGreen), ['repainted']],
    'is, of what is gone too': [is(isRed), ['added', 'touched', 'deleted']],
    becomes: [becomes(isGreen), ['repainted']],
    'becomes, not what it was': [becomes(isRed), []],
    'anyOf: one holds': [anyOf(appears, disappears), ['added', 'deleted']],
    'anyOf: none holds': [anyOf(becomes(isRed), changed(uid)), []],
    'allOf: all hold': [allOf(exists, is(isGreen)), ['repainted']],
    'allOf: some hold': [allOf(exists, disappears), []],
    'allOf: none holds': [allOf(becomes(isRed), changed(uid)), []],
  };
  for (const [name, [holds, wanted]] of Object.entries(cases)) {
    test(name, () => {
      const held = Object.entries(all).flatMap(([change, given]) => (holds(given) ? [change] : []));
      assert.deepEqual(held, wanted);
    });
  }
});

describe('sentences', () => {
  const log = recordedLog();
  const keysOf = (change: Change<Widget>, sentence: (woken: Woken<Widget>) => Trigger) => {
    const keys: unknown[] = [];
    const store = { kind: WidgetKind, changes$: of(change) };
    const trigger = sentence(triggersIn({ log })<Widget>(store));
    trigger.wakes$.subscribe(({ request }) => keys.push(request));
    return { keys, because: trigger.because };
  };
  const colourOf = ({ metadata }: Widget) => [{ name: metadata.labels?.colour ?? '' }];

  test('itself', () => {
    const { keys, because } = keysOf(added, (woken) => woken.itself('it changed'));
    assert.deepEqual([keys, because], [[{ namespace: 'ns', name: 'a' }], 'it changed']);
  });
  test('the reason of a run depends on the change, and on whether many objects share it', () => {
    const asking = (change: Change<Widget>, sentence: (woken: Woken<Widget>) => Woken<Widget>): unknown[] => {
      const observed: unknown[] = [];
      const store = { kind: WidgetKind, changes$: of(change) };
      const { wakes$ } = sentence(triggersIn({ log })<Widget>(store)).itself('it changed');
      wakes$.subscribe((wake) => observed.push(wake));
      return observed;
    };
    const wake = (asking: Asking) => [
      { request: { namespace: 'ns', name: 'a' }, because: 'it changed', asking },
    ];
    const plain = (woken: Woken<Widget>) => woken;
    const shared = (woken: Woken<Widget>) => woken.when(exists).sharedByMany().when(is(isGreen));
    assert.deepEqual(asking(added, plain), wake('appearance'));
    assert.deepEqual(asking(repainted, plain), wake('change'));
    assert.deepEqual(asking(deleted, plain), wake('change'));
    assert.deepEqual(asking(repainted, shared), wake('shared change'));
    assert.deepEqual(asking(deleted, shared), []);
  });
  test('of versions that others wrote: a wake names the version, but not for a deletion', () => {
    const versionsIn = (sentence: Woken<Widget>) => {
      const versions: (string | undefined)[] = [];
      sentence.itself('it changed').wakes$.subscribe(({ version }) => versions.push(version));
      return versions;
    };
    const sentence = triggersIn({ log })<Widget>({ changes$: of(added, repainted, deleted) });
    assert.deepEqual(versionsIn(sentence), [undefined, undefined, undefined]);
    const [first, second] = [red, green].map(versionKey);
    assert.deepEqual(versionsIn(sentence.writtenByOthers()), [first, second, undefined]);
  });

  test('a trigger of several stores is woken by each of them', () => {
    const keys: unknown[] = [];
    const stores = [red, labelled('b', {})].map((object) => ({
      changes$: of<Change<Widget>>({ type: 'added', object }),
    }));
    const { wakes$ } = triggersIn({ log })<Widget>(...stores).itself('one of them changed');
    wakes$.subscribe(({ request }) => keys.push(request.name));
    assert.deepEqual(keys, ['a', 'b']);
  });
  test('a trigger that no store tells of', () => {
    const observed: unknown[] = [];
    const { because, wakes$ } = triggerBy('time has come', of({ name: 'a' }), 'sync period');
    wakes$.subscribe((wake) => observed.push(wake));
    const wake = { request: { name: 'a' }, because: 'time has come', asking: 'sync period' };
    assert.deepEqual([because, observed], ['time has come', [wake]]);
  });
  const itself = () => [{ name: 'a' }];
  const ways: Record<
    string,
    readonly [change: Change<Widget>, sentence: (woken: Woken<Widget>) => Trigger, names: readonly string[]]
  > = {
    'through what it is now': [repainted, (woken) => woken.through(colourOf, ''), ['green']],
    'through what it was': [repainted, (woken) => woken.throughPrevious(colourOf, ''), ['red']],
    'through what it was last': [deleted, (woken) => woken.throughPrevious(colourOf, ''), ['red']],
    'through both, those it came to first': [
      repainted,
      (woken) => woken.throughBoth(colourOf, ''),
      ['green', 'red'],
    ],
    'through both, an object that is found twice is woken once': [
      repainted,
      (woken) => woken.throughBoth(itself, ''),
      ['a'],
    ],
    'through both, of what had no former state: once': [
      added,
      (woken) => woken.throughBoth(colourOf, ''),
      ['red'],
    ],
  };
  for (const [way, [change, sentence, names]] of Object.entries(ways)) {
    test(way, () =>
      assert.deepEqual(
        keysOf(change, sentence).keys,
        names.map((name) => ({ name })),
      ),
    );
  }
  test('conditions add up', () =>
    assert.deepEqual(
      Object.values(all).map(
        (change) => keysOf(change, (woken) => woken.when(exists).when(is(isGreen)).itself('')).keys.length,
      ),
      [0, 1, 0, 0],
    ));
});
