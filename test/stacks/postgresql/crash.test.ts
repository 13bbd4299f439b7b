import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { TestClock } from '../../../testing/test-clock.ts';
import { testClock } from '../../../testing/test-clock.ts';
import type { InProcessPostgresql } from '../../fakes/in-process-postgresql.ts';
import { createInProcessPostgresql } from '../../fakes/in-process-postgresql.ts';
import type { CarryOutside } from '../../fakes/outside.ts';
import { atOnce, connectionCut } from '../../fakes/outside.ts';
import { database, grant, passesOn, role } from './passes.ts';

interface Scene {
  readonly clock: TestClock;
  readonly postgresql: InProcessPostgresql;
}

function processOn({ clock, postgresql }: Scene, carryOut?: CarryOutside) {
  const { createServer, end } = postgresql.clientsFor(carryOut);
  const { credentials } = postgresql;
  const server = createServer({ credentials, clock, random: () => 0.5 });
  return { ...passesOn({ server, credentials, clock }), end };
}
type Process = ReturnType<typeof processOn>;

/** How a process's way ends at one statement. */
const ways = {
  'dies before': { isDone: false, isDeath: true },
  'dies after': { isDone: true, isDeath: true },
  'is cut off before': { isDone: false, isDeath: false },
  'is cut off after': { isDone: true, isDeath: false },
} as const;

/** Whether the process came to its `at`-th statement; what it does ends there, or fails. */
async function disturbed(
  scene: Scene,
  at: number,
  { isDone, isDeath }: (typeof ways)[keyof typeof ways],
  act: (process: Process) => Promise<unknown>,
): Promise<boolean> {
  let count = 0;
  const process = processOn(scene, async (call, effect) => {
    count += 1;
    if (count !== at) return atOnce(call, effect);
    const answer = isDone ? await effect() : undefined;
    if (!isDeath) throw connectionCut();
    process.end();
    return answer;
  });
  let isOver = false;
  const finish = (): void => {
    isOver = true;
  };
  act(process).then(finish, finish);
  await scene.clock.advanceUntil(() => isOver || (count >= at && isDeath));
  process.end();
  await scene.clock.settle();
  return count >= at;
}

/** Everything that is on the server but what differs each time. */
function everythingOn({ postgresql }: Scene): unknown {
  const byText = <T>(rows: readonly T[]): readonly T[] =>
    rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return {
    databases: byText(postgresql.databases()),
    roles: byText(
      postgresql.roles().map(({ password, ...rest }) => ({ ...rest, hasPassword: password !== undefined })),
    ),
    grants: byText(postgresql.grants()),
    memberships: byText(postgresql.memberships()),
  };
}

/** No database is half made under its name, and none is ever open to other tenants. */
function assertNothingHalfMade({ postgresql }: Scene, where: string): void {
  for (const { name, comment, isOpenToPublic, allowConnections } of postgresql.databases()) {
    if (['postgres', 'template0', 'template1'].includes(name)) continue;
    assert.ok(!(isOpenToPublic && allowConnections), `${name} is open to PUBLIC: ${where}`);
    if (!name.startsWith('services-stack-unfinished-'))
      assert.match(comment ?? '', /^services-stack: /, where);
  }
}

const clerk = role('clerk', { login: true }, { isSecretWanted: false });
const subjects: Readonly<Record<string, { readonly managed: Managed; readonly changed: Managed }>> = {
  'a database with a role of its own': {
    managed: database('shop', { connectionLimit: 5, extensions: [{ name: 'citext', version: '1.6' }] }),
    changed: database('shop', {
      connectionLimit: 7,
      extensions: [{ name: 'citext', version: '1.8' }, { name: 'hstore' }],
    }),
  },
  'the database of a user': {
    managed: database('shop', { owner: 'clerk', encoding: 'Unicode', lcCollate: 'POSIX' }),
    changed: database('shop', {
      owner: 'postgres',
      allowConnections: false,
      encoding: 'Unicode',
      lcCollate: 'POSIX',
    }),
  },
  'a role': {
    managed: role('orders', { login: true, configurationParameters: [{ name: 'work_mem', value: '4MB' }] }),
    changed: role('orders', {
      login: true,
      privileges: { createDb: true },
      configurationParameters: [{ name: 'search_path', value: 'a, b' }],
    }),
  },
  'a grant': {
    managed: grant('reading', {
      role: 'clerk',
      database: 'postgres',
      privileges: ['CONNECT'],
      withGrantOption: true,
    }),
    changed: grant('reading', { role: 'clerk', database: 'postgres', privileges: ['ALL'] }),
  },
};

/** A scene in which there is what the subjects refer to, and the subject itself if it is given. */
async function sceneWith(managed?: Managed): Promise<Scene> {
  const clock = testClock();
  const scene = { clock, postgresql: createInProcessPostgresql(clock) };
  const process = processOn(scene);
  await process.pass(clerk);
  if (managed !== undefined) await process.pass(managed);
  return scene;
}

/** The next process comes to an end, whatever the one before left. */
async function settle(scene: Scene, managed: Managed): Promise<void> {
  const process = processOn(scene);
  let state = await process.pass(managed);
  for (let pass = 0; state.acted !== undefined; pass += 1) {
    assert.ok(pass < 3, `does not settle: ${state.observed.difference}`);
    state = await process.pass(managed, state.known);
  }
  assert.deepEqual([state.observed.exists, state.observed.isUpToDate], [true, true]);
}

for (const [what, { managed, changed }] of Object.entries(subjects)) {
  describe(`${what}: the next process finishes what one began that`, () => {
    const acts = {
      'it creates it': { from: undefined, to: managed, act: (process: Process) => process.pass(managed) },
      'it changes it': { from: managed, to: changed, act: (process: Process) => process.pass(changed) },
      'it removes it': { from: managed, to: undefined, act: (process: Process) => process.remove(managed) },
    };
    for (const [doing, { from, to, act }] of Object.entries(acts)) {
      for (const [way, ends] of Object.entries(ways)) {
        test(`${way} any statement while ${doing}`, async () => {
          const finish = async (scene: Scene): Promise<unknown> => {
            if (to !== undefined) await settle(scene, to);
            else assert.equal(await processOn(scene).remove(managed), false, 'nothing is left');
            return everythingOn(scene);
          };
          const reference = await sceneWith(from);
          await act(processOn(reference));
          const wanted = await finish(reference);
          let at = 1;
          for (; ; at += 1) {
            const scene = await sceneWith(from);
            const wasReached = await disturbed(scene, at, ends, act);
            assertNothingHalfMade(scene, `statement ${at}`);
            assert.deepEqual(await finish(scene), wanted, `statement ${at}`);
            if (!wasReached) break;
          }
          assert.ok(at > 5, `only ${at} statements`);
        });
      }
    }
  });
}

test('a database that a broken-off deletion left is made again, with its extensions', async () => {
  const { managed } = subjects['a database with a role of its own'] ?? {};
  assert.ok(managed !== undefined);
  const scene = await sceneWith(managed);
  const before = everythingOn(scene);
  await scene.postgresql.sql("UPDATE pg_database SET datconnlimit = -2 WHERE datname = 'shop'");
  await settle(scene, managed);
  assert.deepEqual(everythingOn(scene), before);
});
