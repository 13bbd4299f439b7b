import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { ConnectionDetails } from '../../../apis/core/v1alpha1/secret.ts';
import { errorFactsOf } from '../../../clients/external-error.ts';
import { testClock } from '../../../testing/test-clock.ts';
import { createInProcessPostgresql } from '../../fakes/in-process-postgresql.ts';
import { atOnce } from '../../fakes/outside.ts';
import { database, edited, passesOn, role } from './passes.ts';

/** A server, and the statements that changed something on it. */
function scene() {
  const clock = testClock();
  const postgresql = createInProcessPostgresql(clock);
  const { credentials } = postgresql;
  const changes: string[] = [];
  const { createServer } = postgresql.clientsFor(async (call, effect) => {
    const answer = await atOnce(call, effect);
    if (call.isWrite) changes.push(`${call.verb} ${call.target}`.trimEnd());
    return answer;
  });
  const server = createServer({ credentials, clock, random: () => 0.5 });
  return { postgresql, changes, ...passesOn({ server, credentials, clock }) };
}

describe('a request that PostgreSQL refuses permanently changes nothing when it is tried again', () => {
  const cases: Readonly<
    Record<string, { readonly managed: Managed; readonly error: RegExp; readonly field: string }>
  > = {
    'an encoding that does not exist': {
      managed: database('shop', { encoding: 'nonsense' }),
      error: /nonsense/,
      field: 'spec.forProvider.encoding',
    },
    'a locale that does not exist': {
      managed: database('shop', { lcCollate: 'nonsense' }),
      error: /nonsense/,
      field: 'spec.forProvider.lcCollate',
    },
    'a template that does not exist': {
      managed: database('shop', { template: 'nonsense' }),
      error: /nonsense/,
      field: 'spec.forProvider.template',
    },
    'the database that the provider connects to, as a template': {
      managed: database('shop', { template: 'postgres' }),
      error: /is the one that the provider connects to/,
      field: 'spec.forProvider.template',
    },
  };
  const advised = '; set another name in the annotation crossplane.io/external-name';
  const names: Readonly<Record<string, readonly [managed: Managed, message: string]>> = {
    'the name of a database of the server': [
      database('postgres'),
      `database name "postgres" is reserved${advised}`,
    ],
    'the name of a role of the server, for a database with a role of its own': [
      database('pg_mine'),
      `role name "pg_mine" is reserved${advised}`,
    ],
    'the name of all roles, for a database with a role of its own': [
      database('public'),
      `role name "public" is reserved${advised}`,
    ],
    'the name of a role of the server': [role('pg_mine'), `role name "pg_mine" is reserved${advised}`],
    'a name that a claim chose: the claim has the advice': [
      database('postgres', {}, { spec: { classRef: { kind: 'PostgreSQLDatabaseClass', name: 'small' } } }),
      'database name "postgres" is reserved',
    ],
  };
  for (const [what, [managed, message]] of Object.entries(names)) {
    test(`a reserved name has one piece of advice: ${what}`, async () => {
      const { changes, ...stack } = scene();
      await assert.rejects(stack.pass(managed), (failure) => {
        assert.deepEqual(errorFactsOf(failure)?.advice, { kinds: ['ChooseExternalName'] });
        assert.equal((failure as Error).message, message);
        return true;
      });
      assert.deepEqual(changes, []);
    });
  }

  const knowledge: Readonly<Record<string, ConnectionDetails>> = {
    'the secret is new': {},
    'the secret has a password, as of a database that is lost': { password: 'published' },
  };
  for (const [what, { managed, error, field }] of Object.entries(cases)) {
    test(`${what} is invalid, with the field to change as data`, async () => {
      const failure = await scene()
        .pass(managed)
        .catch((thrown: unknown) => thrown);
      assert.deepEqual(errorFactsOf(failure), {
        errorClass: 'Invalid',
        advice: { kinds: ['ChangeFields'], fields: [field] },
      });
      assert.match((failure as Error).message, new RegExp(`; change ${field}$`));
    });
    for (const [when, known] of Object.entries(knowledge)) {
      test(`${what}; ${when}`, async () => {
        const { changes, ...stack } = scene();
        await assert.rejects(stack.pass(managed, known), { message: error });
        assert.ok(changes.includes('CREATE ROLE shop'), 'the first time makes the role');
        changes.length = 0;
        for (const _again of [1, 2]) await assert.rejects(stack.pass(managed, known), { message: error });
        assert.deepEqual(changes, []);
      });
    }
  }

  test('an engineVersion of another server is invalid, with the field to change as data', async () => {
    const { changes, ...stack } = scene();
    const failure = await stack
      .pass(database('shop', { engineVersion: '9.6' }))
      .catch((error: unknown) => error);
    assert.ok(failure instanceof Error);
    assert.match(
      failure.message,
      /^spec\.forProvider\.engineVersion is "9\.6", but server \S+ runs PostgreSQL \d+; change it, or use a provider whose server runs 9\.6$/,
    );
    assert.deepEqual(errorFactsOf(failure), {
      errorClass: 'Invalid',
      advice: { kinds: ['ChangeFields'], fields: ['spec.forProvider.engineVersion'] },
    });
    assert.deepEqual(changes, []);
  });

  test('after the fault is fixed, the waiting role has the published password', async () => {
    const { postgresql, ...stack } = scene();
    const managed = database('shop', { encoding: 'nonsense' });
    await assert.rejects(stack.pass(managed));
    const { known, observed } = await stack.pass(edited(managed, { encoding: 'UTF8' }));
    assert.equal(observed.isUpToDate, true);
    const refusal = postgresql.refusal({ user: 'shop', password: known.password ?? '', database: 'shop' });
    assert.equal(refusal, undefined);
  });
});
