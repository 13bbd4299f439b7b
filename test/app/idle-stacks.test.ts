import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import type { FoundKind } from '../../app/idle-stacks.ts';
import { idleStackNotes, notesOf, unhandledKinds } from '../../app/idle-stacks.ts';
import { ApiError } from '../../runtime/client/errors.ts';
import { createFcpStack } from '../../stacks/demo-clouds/fcp/stack.ts';
import { createOcpStack } from '../../stacks/demo-clouds/ocp/stack.ts';
import { testClock } from '../../testing/test-clock.ts';
import { recordedLog } from '../fakes/recorded-log.ts';

const [fcp, ocp] = [createFcpStack(), createOcpStack()];

describe('the kinds whose objects no stack of the process handles', () => {
  const fcpKinds = { FavouriteDBInstance: ['fcp'], Network: ['fcp'] };
  const ocpKinds = { AmbivalentDBInstance: ['ocp'] };
  const cases: Readonly<Record<string, readonly [Parameters<typeof unhandledKinds>, object]>> = {
    'of a stack: its claims and managed resources, and neither classes nor providers': [
      [[fcp], []],
      { ...fcpKinds, FancySQLInstance: ['fcp'] },
    ],
    'of two stacks with the same claims: the claims once, with both': [
      [[fcp, ocp], []],
      { ...fcpKinds, FancySQLInstance: ['fcp', 'ocp'], ...ocpKinds },
    ],
    'without the claims that a stack of the process handles': [[[ocp], [fcp]], ocpKinds],
    'without stacks: none': [[[], [fcp]], {}],
  };
  for (const [rule, [given, wanted]] of Object.entries(cases)) {
    test(rule, () => {
      const found = unhandledKinds(...given).map(({ kind, stacks }) => [kind.kind, stacks]);
      assert.deepEqual(Object.fromEntries(found), wanted);
    });
  }
});

describe('the notes about stacks that do not run', () => {
  const found = (kind: string, answer: FoundKind['answer'], ...stacks: readonly string[]): FoundKind => {
    return { kind, answer, stacks };
  };
  const exist = (kinds: string, stacks: string): string =>
    `objects of ${kinds} exist, and no stack of this process handles them: add ${stacks} to --stacks, unless another process runs it`;
  const cases: Readonly<Record<string, readonly [readonly FoundKind[], readonly string[]]>> = {
    'without objects there is none': [[found('Network', 'no objects', 'fcp')], []],
    'objects that one stack handles name that stack': [
      [found('Network', 'objects', 'fcp')],
      [exist('Network', 'fcp')],
    ],
    'objects that several stacks handle name each': [
      [found('FancySQLInstance', 'objects', 'fcp', 'ocp')],
      [exist('FancySQLInstance', 'fcp or ocp')],
    ],
    'kinds of the same stacks share a note': [
      [
        found('Network', 'objects', 'fcp'),
        found('AmbivalentDBInstance', 'objects', 'ocp'),
        found('FavouriteDBInstance', 'objects', 'fcp'),
      ],
      [exist('FavouriteDBInstance, Network', 'fcp'), exist('AmbivalentDBInstance', 'ocp')],
    ],
    'a refused list says what is known, and that the rights are missing': [
      [found('Network', 'refused', 'fcp'), found('FavouriteDBInstance', 'refused', 'fcp')],
      [
        'the API server serves FavouriteDBInstance, Network and forbids this process to list them: if objects exist, grant the rights and add fcp to --stacks',
      ],
    ],
  };
  for (const [rule, [given, wanted]] of Object.entries(cases)) {
    test(rule, () => assert.deepEqual(notesOf(given), wanted));
  }
});

describe('a process that looks for objects of stacks that do not run', () => {
  type Answer = 'empty' | 'objects' | 'forbidden' | 'undefined' | 'away';
  const codes: Partial<Record<Answer, number>> = { forbidden: 403, undefined: 404, away: 503 };
  const reasons: Partial<Record<Answer, string>> = { forbidden: 'Forbidden', undefined: 'NotFound' };

  /** The API server gives these answers about claims, one after the other, and no other kind has objects. */
  async function world(
    answers: readonly Answer[],
    { isServed = true, namespaces = undefined as string[] | undefined } = {},
  ) {
    const clock = testClock();
    const log = recordedLog();
    const listed: object[] = [];
    const shown: (readonly string[])[] = [];
    idleStackNotes({
      kinds: unhandledKinds([ocp], []).filter(({ kind }) => kind.kind === 'FancySQLInstance'),
      namespaces,
      client: {
        serves: async () => isServed,
        async list(_kind: Kind, options: object) {
          const answer = answers[listed.length] ?? 'empty';
          listed.push(options);
          const code = codes[answer];
          if (code !== undefined) throw new ApiError(answer, { code, reason: reasons[answer] ?? 'Unknown' });
          const item = { apiVersion: 'v1', kind: 'Any', metadata: { name: 'any' } };
          return { items: answer === 'objects' ? [item as never] : [], resourceVersion: '1' };
        },
      },
      log,
      clock,
    }).subscribe({ next: (notes) => shown.push(notes), complete: assert.fail, error: assert.fail });
    await clock.settle();
    const warnings = () => log.lines.flatMap(({ level, message }) => (level === 'warn' ? [message] : []));
    return { clock, listed, shown, warnings };
  }
  const tenMinutesMs = 600_000;
  const [note = ''] = notesOf([{ kind: 'FancySQLInstance', answer: 'objects', stacks: ['ocp'] }]);
  const [refused = ''] = notesOf([{ kind: 'FancySQLInstance', answer: 'refused', stacks: ['ocp'] }]);

  test('asks for one object, and reports one that is created later', async () => {
    const { clock, listed, shown, warnings } = await world(['empty', 'objects']);
    assert.deepEqual([listed, shown, warnings()], [[{ namespace: undefined, limit: 1 }], [[]], []]);
    await clock.advance(tenMinutesMs);
    assert.deepEqual([shown, warnings()], [[[], [note]], [note]]);
  });

  test('shows the note and logs it once, until the objects were deleted', async () => {
    const { clock, shown, warnings } = await world(['objects', 'objects', 'empty']);
    await clock.advance(2 * tenMinutesMs);
    assert.deepEqual([shown, warnings()], [[[note], [note], []], [note]]);
  });

  test('without the right to list, it reports that', async () => {
    const { shown, warnings } = await world(['forbidden']);
    assert.deepEqual([shown, warnings()], [[[refused]], [refused]]);
  });

  test('does not ask for objects of a kind that the API server does not have', async () => {
    const { listed, shown } = await world(['forbidden'], { isServed: false });
    assert.deepEqual([listed, shown], [[], [[]]]);
  });

  test('asks again if the API server does not answer, or has the kind no more', async () => {
    const { clock, shown } = await world(['away', 'undefined', 'objects']);
    assert.deepEqual(shown, []);
    await clock.advance(2 * tenMinutesMs);
    assert.deepEqual(shown, [[note]]);
  });

  test('with --namespace it asks for the claims of these namespaces only', async () => {
    const { listed, shown } = await world(['forbidden', 'objects'], { namespaces: ['team-a', 'team-b'] });
    const wanted = ['team-a', 'team-b'].map((namespace) => ({ namespace, limit: 1 }));
    assert.deepEqual([listed, shown], [wanted, [[note]]]);
  });
});
