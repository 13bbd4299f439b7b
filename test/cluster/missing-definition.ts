import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { freePort } from '../../local/free-port.ts';
import type { FancySQLFixture } from './fancysql-fixture.ts';
import { favouriteClassRef } from './fancysql-fixture.ts';
import type { StackProcess } from './stack-harness.ts';
import { eventually } from './stack-harness.ts';

const group = 'database.ocp.crossplane.io';
const managedKind = `ambivalentdbinstances.v1alpha1.${group}`;

/** Deletes a definition of the stack `ocp`. */
export function testMissingDefinition(fixtureOf: () => FancySQLFixture): void {
  describe('a definition that the API server does not have', () => {
    let fixture: FancySQLFixture;
    let stack: StackProcess;
    let earlier: number;
    let health: string;
    let metrics: string;
    const readyz = async () => {
      const response = await fetch(`http://${health}/readyz?verbose`);
      return { isReady: response.ok, body: await response.text() };
    };
    const missing = async () => {
      const page = await (await fetch(`http://${metrics}/metrics`)).text();
      return page.match(/^services_stack_definition_missing\{.*/gm) ?? [];
    };
    const logged = (pattern: RegExp) => stack.log().match(pattern)?.length ?? 0;

    before(async () => {
      fixture = fixtureOf();
      earlier = fixture.favourite.instances().length;
      await fixture.cluster.kubectl(['delete', 'crd', `ambivalentdbinstances.${group}`]);
      [health, metrics] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
      stack = fixture.cluster.startProcess([
        '--stacks',
        'ocp,fcp,postgresql',
        '--poll-interval',
        '2s',
        '--health-probe-bind-address',
        health,
        '--metrics-bind-address',
        metrics,
      ]);
    });
    after(() => stack?.end('SIGKILL'));

    test('keeps its own stack waiting, and the others work once that is certain', async () => {
      await fixture.claim('team-a', 'orders', { classRef: favouriteClassRef('small') });
      const early = await eventually('health is served', readyz);
      assert.equal(early.isReady, false);
      await fixture.bound('team-a', 'orders');
      assert.equal(fixture.favourite.instances().length - earlier, 1);
      const late = await eventually('it is ready', async () => {
        const answer = await readyz();
        return answer.isReady ? answer : undefined;
      });
      const note = `[!]stack ocp waits: the API server does not have ${managedKind}; run`;
      assert.ok(late.body.includes(note), late.body);
      const metric = `services_stack_definition_missing{stack="ocp",kind="${managedKind}"} 1`;
      assert.deepEqual(await missing(), [metric]);
      await eventually('the log says so', async () => logged(/this stack waits/g) > 0);
      assert.equal(logged(/this stack waits/g), 1);
    });
  });
}
