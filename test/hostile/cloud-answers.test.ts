import assert from 'node:assert/strict';
import type { Arbitrary } from 'fast-check';
import fc from 'fast-check';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import type { CarriedReply as Reply } from '../fakes/outside.ts';
import { oddText } from './arbitraries.ts';
import { holds } from './property.ts';
import { World } from './world.ts';

/* A cloud, or a gateway before it, may give any answer until it is repaired. */

/** The fate of a reply. */
type Garble = (reply: Reply) => Reply;

const textIn = (reply: Reply): string =>
  Buffer.concat([...(reply.body as Iterable<Buffer>)]).toString('utf8');
const withText = (reply: Reply, text: string): Reply => ({ ...reply, body: [Buffer.from(text)] });

/** A value somewhere in the answer replaced. */
const altered =
  (turns: readonly number[], value: unknown): Garble =>
  (reply) => {
    const text = textIn(reply);
    if (text === '') return reply;
    const answer: unknown = JSON.parse(text);
    let parent = answer as Record<string, unknown>;
    for (const [depth, turn] of turns.entries()) {
      const keys = Object.keys(parent);
      const key = keys[turn % keys.length];
      if (key === undefined) break;
      const child = parent[key];
      if (depth === turns.length - 1 || typeof child !== 'object' || child === null) {
        parent[key] = value;
        break;
      }
      parent = child as Record<string, unknown>;
    }
    return withText(reply, JSON.stringify(answer));
  };

const oddValues = [null, -1, 1e21, {}, [], true, '\ud800', 'x'.repeat(100_000), 'ONLINE', 'DELETING'];
const oddBodies = ['', 'null', '[]', '7', '{}', '<html>', '{"__proto__":{"polluted":true}}'];
const statuses = [200, 204, 301, 400, 404, 409, 418, 422, 429, 500, 503, 599, 999];
const retryAfter = ['1', '999999999', 'soon'].map((value) => ({ 'retry-after': value }));

const garbles: Arbitrary<Garble> = fc.oneof(
  fc
    .tuple(
      fc.array(fc.nat(12), { minLength: 1, maxLength: 3 }),
      fc.oneof(oddText, fc.constantFrom<unknown>(...oddValues)),
    )
    .map(([turns, value]) => altered(turns, value)),
  fc
    .constantFrom(
      ...oddBodies,
      '['.repeat(50_000),
      `{"error":{"code":"Invalid","message":"\u001b[2J${'x'.repeat(10_000)}"}}`,
    )
    .map(
      (text): Garble =>
        (reply) =>
          withText(reply, text),
    ),
  fc.tuple(fc.constantFrom(...statuses), fc.constantFrom<Record<string, string>>({}, ...retryAfter)).map(
    ([statusCode, headers]): Garble =>
      (reply) => ({ ...reply, statusCode, headers }),
  ),
  fc.nat(200).map(
    (length): Garble =>
      (reply) =>
        withText(reply, textIn(reply).slice(0, length)),
  ),
  fc.constant<Garble>((reply) => ({ ...reply, body: [Buffer.alloc(11_000_000, 0x20)] })),
);

const minuteMs = 60_000;

holds(
  'a cloud answers nonsense: nothing is lost, and once it is mended all is well',
  fc.asyncProperty(
    fc.array(fc.option(garbles, { nil: undefined, freq: 3 }), { minLength: 1, maxLength: 30 }),
    async (plan) => {
      const world = new World(1);
      const { clock } = world.simulation;
      let index = 0;
      world.garble((reply) => {
        const garble = plan[index];
        index += 1;
        return garble === undefined ? reply : garble(reply);
      });
      world.start();
      for (const name of ['one', 'two']) world.claim(name);
      await clock.advance(10 * minuteMs);
      world.cluster.leave(FancySQLInstanceKind, { namespace: 'quiet', name: 'two' });
      // Waits between attempts are up to a minute, and a resource that looks lost is observed again.
      await clock.advance(40 * minuteMs);
      world.assertUsable('one');
      assert.equal(world.favourite.instances().length, 1, 'one claim is left, and one instance');
      world.assertNoFault();
      world.assertEveryWriteChanges();
      world.assertDecentWords();
      assert.equal(({} as { polluted?: unknown }).polluted, undefined);
      world.simulation.kill();
    },
  ),
  { runs: 6 },
);
