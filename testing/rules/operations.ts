import isEqual from 'lodash/isEqual.js';
import isString from 'lodash/isString.js';
import { outcomeOf } from '../outcome.ts';
import { expect, Skipped } from '../verdict.ts';
import type { Rule } from './rule.ts';

const { signal } = new AbortController();

const asksOnly: Rule = {
  name: 'asking how an operation is going changes nothing, and takes no failure for its end',
  async check(bench) {
    const draft = bench.draft('first');
    const client = await bench.client(draft);
    const { operation } = await bench.settled(
      client.create(draft, bench.newCredential(draft), signal),
      'create',
    );
    if (!isString(operation) || client.poll === undefined) {
      throw new Skipped('create answers with no name of an operation');
    }
    const { poll } = client;
    const ask = () => outcomeOf(bench.settled(poll.call(client, operation, signal), 'poll'));
    const before = await bench.things();
    const [first, second] = [await ask(), await ask()];
    await bench.expectUnchanged(before, 'poll', 'ask only, whatever there is to do next');
    expect(
      isEqual(first, second),
      `poll says ${JSON.stringify(first)} and then ${JSON.stringify(second)}`,
      'leave times and counts out of its message: each new one is a write of the status',
    );
    if (bench.world.fail === undefined) return;
    bench.world.fail('the system is out of order');
    const { type } = await ask();
    expect(
      type === 'failed',
      'poll takes a system that fails for an answer',
      'throw what keeps from knowing; `unknown` is what the system says of a name in its own words',
    );
  },
};

export const operations: readonly Rule[] = [asksOnly];
