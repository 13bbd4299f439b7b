import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generate } from '../generate.ts';
import { coverageKey, coverageOf } from './coverage.ts';
import { cloudFields, fields, fieldText } from './fields.ts';

const worlds = { demo: [fields, 2_000], clouds: [cloudFields, 2_500] } as const;
for (const world of ['demo', 'clouds'] as const) {
  const [all, seeds] = worlds[world];
  test(`every field of every kind of the world "${world}" goes through its states in ${seeds} seeds`, () => {
    const missing = new Set(all.map(({ kind, path }) => coverageKey(kind, fieldText({ path }))));
    for (let seed = 1; missing.size > 0 && seed <= seeds; seed += 1) {
      for (const [key, transitions] of coverageOf([generate(seed, world)])) {
        if (transitions.has('value to other') || transitions.has('absent to value')) missing.delete(key);
      }
    }
    assert.deepEqual([...missing], []);
  });
}

test('the changes of a scenario to a field are counted as transitions', () => {
  const of = { apiVersion: 'database.crossplane.io/v1alpha1', kind: 'FancySQLInstance', name: 'orders' };
  const edit = (version: string | null) => ({
    atMs: 0,
    act: { type: 'edit' as const, of, patch: { spec: { version } } },
  });
  const object = { ...of, metadata: { name: 'orders' }, spec: {} };
  const key = 'fancysqlinstances.v1alpha1.database.crossplane.io spec.version';
  const after = (...steps: ReturnType<typeof edit>[]): readonly string[] => [
    ...(coverageOf([{ objects: [object], steps }]).get(key) ?? []),
  ];
  assert.deepEqual(after(), []);
  assert.deepEqual(after(edit('5.7'), edit('5.7')), ['absent to value']);
  assert.deepEqual(after(edit('5.7'), edit('8.0'), edit(null)), [
    'absent to value',
    'value to other',
    'value to absent',
  ]);
});
