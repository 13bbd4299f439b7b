import isEqual from 'lodash/isEqual.js';
import isString from 'lodash/isString.js';
import { outcomeOf } from '../outcome.ts';
import { expect, Skipped } from '../verdict.ts';
import type { Rule } from './rule.ts';

const { signal } = new AbortController();

const asksOnly: Rule = {
  name: 'poll changes nothing and does not treat a failure as the end of an operation',
  async check(bench) {
    const draft = bench.draft('first');
    const client = await bench.client(draft);
    const { operation } = await bench.settled(
      client.create(draft, bench.newCredential(draft), signal),
      'create',
    );
    if (!isString(operation) || client.poll === undefined) {
      throw new Skipped('create returns no name of an operation');
    }
    const { poll } = client;
    const ask = () => outcomeOf(bench.settled(poll.call(client, operation, signal), 'poll'));
    const before = await bench.externals();
    const [first, second] = [await ask(), await ask()];
    await bench.expectUnchanged(before, 'poll', 'only read the state of the operation');
    expect(
      isEqual(first, second),
      `poll returns first ${JSON.stringify(first)} and then ${JSON.stringify(second)}`,
      'leave times and counts out of its message: each new message is a write of the status',
    );
    if (bench.world.fail === undefined) return;
    bench.world.fail('the system is out of order');
    const { type } = await ask();
    expect(
      type === 'failed',
      'poll treats a failure of the system as an answer',
      'throw the failure; return `unknown` only if the system itself does not know the name',
    );
  },
};

export const operations: readonly Rule[] = [asksOnly];
