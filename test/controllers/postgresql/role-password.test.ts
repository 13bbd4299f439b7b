import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Condition } from '../../../apis/core/v1alpha1/condition.ts';
import type { PostgreSQLRole } from '../../../apis/postgresql/v1alpha1/postgresql-role.ts';
import { createPasswordRotations } from '../../../controllers/author/password-rotations.ts';
import { createPasswordChecks } from '../../../controllers/postgresql/password-checks.ts';
import type { PasswordNeed } from '../../../controllers/postgresql/role-password.ts';
import { rolePassword } from '../../../controllers/postgresql/role-password.ts';
import { testClock } from '../../../testing/test-clock.ts';

const { signal } = new AbortController();
const published = { writeConnectionSecretToRef: { namespace: 'infra', name: 'app' } };

const role = (spec: Partial<PostgreSQLRole['spec']>, status?: PostgreSQLRole['status']): PostgreSQLRole => ({
  apiVersion: 'postgresql.crossplane.io/v1alpha1',
  kind: 'PostgreSQLRole',
  metadata: { name: 'app' },
  spec: { forProvider: {}, ...spec },
  ...(status && { status }),
});

const ready: Condition = {
  type: 'Ready',
  status: 'True',
  reason: 'Available',
  lastTransitionTime: '2026-01-02T03:04:05Z',
};

const synced: Condition = { ...ready, type: 'Synced', reason: 'ReconcileSuccess' };

interface Attempts {
  /** How they end; by and by all are answered. */
  readonly setPassword?: readonly (() => Promise<void>)[];
  readonly generated?: readonly string[];
}

/** A role's password, on a server that takes `works` and no other. */
const passwordOn = (works: string, { setPassword = [], generated = [] }: Attempts = {}) => {
  const asked: string[] = [];
  const [ends, texts] = [[...setPassword], [...generated]];
  const shared = {
    roles: {
      setPassword: async () => ends.shift()?.(),
      checkPassword: async (_name: string, given: string) => {
        asked.push(given);
        return given === works;
      },
    },
    checks: createPasswordChecks({ clock: testClock(), random: () => 0.5 }),
    rotations: createPasswordRotations(),
    generatePassword: () => texts.shift() ?? 'new',
  };
  /** A run has one of its own. */
  const nextRun = () => rolePassword(shared);
  return { password: nextRun(), nextRun, asked };
};

describe('a role needs a new password', () => {
  const rotation = { ...published, forProvider: { passwordRotation: '2' } };
  const rows: Readonly<
    Record<
      string,
      { readonly managed: PostgreSQLRole; readonly known?: string; readonly need?: PasswordNeed }
    >
  > = {
    'not while the server takes the one that is published': { managed: role(published), known: 'works' },
    'when the server does not take it': {
      managed: role(published),
      known: 'of a backup',
      need: { reason: 'wrong' },
    },
    'when nobody knows it any more': { managed: role(published), need: { reason: 'lost' } },
    'not where none is to be published': { managed: role({}) },
    'when somebody asks for another': {
      managed: role(rotation),
      known: 'works',
      need: { reason: 'rotation' },
    },
    'not when that was heeded': { managed: role(rotation, { passwordRotation: '2' }), known: 'works' },
    'one that does not work comes before one that was asked for': {
      managed: role(rotation),
      known: 'of a backup',
      need: { reason: 'wrong' },
    },
  };
  for (const [name, { managed, known, need }] of Object.entries(rows)) {
    test(name, async () => {
      const { password } = passwordOn('works');
      const details = known === undefined ? {} : { password: known };
      assert.deepEqual(await password.need(managed, details, signal), need);
    });
  }

  test('one that was set just now is not tried, and the request for it is heeded', async () => {
    const { password, asked } = passwordOn('works');
    const managed = role(rotation);
    assert.equal(await password.renew(managed, signal), 'new');
    assert.equal(await password.need(managed, { password: 'new' }, signal), undefined);
    assert.deepEqual(password.rotation(managed), { passwordRotation: '2' });
    assert.deepEqual(asked, []);
  });

  const wrong: PasswordNeed = { reason: 'wrong' };
  for (const [name, works, need] of [
    ['one that may have been replaced is tried, if it is published again, and it was', 'new', wrong],
    [
      'one that may have been replaced is tried, if it is published again, and it was not',
      'former',
      undefined,
    ],
  ] as const) {
    test(name, async () => {
      const { password, nextRun, asked } = passwordOn(works, {
        setPassword: [async () => {}, () => Promise.reject(new Error('no answer'))],
        generated: ['former', 'new'],
      });
      const managed = role(published, { conditions: [ready] });
      assert.equal(await password.renew(managed, signal), 'former');
      // Into a secret that is named no more by now, so that the next run knows none.
      await assert.rejects(nextRun().renew(managed, signal), /no answer/);
      assert.deepEqual(await nextRun().need(managed, { password: 'former' }, signal), need);
      assert.deepEqual(asked, ['former']);
    });
  }

  for (const [name, generation, conditions, need] of [
    ['one that is said to work is not tried at once', 2, [ready, synced], undefined],
    ['one that was said to work before somebody edited its owner is tried', 3, [ready, synced], wrong],
    [
      'one whose owner could not be looked at last is tried, for rotation may have been asked for until then',
      2,
      [ready, { ...synced, status: 'False', reason: 'ReconcileError' }],
      wrong,
    ],
  ] as const) {
    test(name, async () => {
      const { password } = passwordOn('set for a secret that is named no more');
      const said = role(published, { conditions, observedGeneration: 2 });
      const managed = { ...said, metadata: { ...said.metadata, generation } };
      assert.deepEqual(await password.need(managed, { password: 'former' }, signal), need);
    });
  }

  test('a request that was heeded is heeded once, though the object does not show that yet', async () => {
    const { password, nextRun } = passwordOn('new');
    await password.renew(role(rotation), signal);
    const next = nextRun();
    assert.equal(await next.need(role(rotation), { password: 'new' }, signal), undefined);
    assert.deepEqual(next.rotation(role(rotation)), { passwordRotation: '2' });
  });

  test('each other request is heeded, the one before that one, too', async () => {
    const { nextRun } = passwordOn('new');
    const asking = (passwordRotation: string, told: string) =>
      role({ ...published, forProvider: { passwordRotation } }, { passwordRotation: told });
    const needs: unknown[] = [];
    for (const managed of [asking('2', '1'), asking('3', '1'), asking('1', '1'), asking('3', '1')]) {
      const run = nextRun();
      needs.push(await run.need(managed, { password: 'new' }, signal));
      await run.renew(managed, signal);
    }
    assert.deepEqual(
      needs,
      [2, 3, 1, 3].map(() => ({ reason: 'rotation' })),
    );
  });

  test('what was published once is what a new role begins with', () => {
    const { password } = passwordOn('works');
    assert.equal(password.initial(role(published), { password: 'published' }), 'published');
    assert.equal(password.initial(role(published), {}), 'new');
    assert.equal(password.initial(role({}), { password: 'published' }), undefined);
  });
});
