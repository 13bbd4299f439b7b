import isEqual from 'lodash/isEqual.js';
import isString from 'lodash/isString.js';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { Observation } from '../../controllers/core/managed/external-client.ts';
import type { Outcome } from '../outcome.ts';
import { messageOf, outcomeOf } from '../outcome.ts';
import { schemaProblems } from '../schema-problems.ts';
import { expect, needed } from '../verdict.ts';
import { deletion, observe } from './calls.ts';
import type { Rule } from './rule.ts';

const isPure: Rule = {
  name: 'observe changes nothing outside, and says the same when it is asked again',
  async check(bench) {
    const { managed, credential } = await bench.ready();
    const { changes = [] } = bench.conformance;
    const cases: readonly (readonly [string, Managed])[] = [
      ['observe of what is not there', bench.draft('absent', bench.another())],
      ['observe of what is up to date', managed],
      ...changes.map((change): [string, Managed] => {
        const forProvider = { ...managed.spec.forProvider, ...change };
        const edited = { ...managed, spec: { ...managed.spec, forProvider } };
        return [`observe of what differs by ${JSON.stringify(change)}`, edited];
      }),
    ];
    for (const [doing, seen] of cases) {
      const before = await bench.things();
      const first = await outcomeOf(observe(bench, seen, credential));
      const second = await outcomeOf(observe(bench, seen, credential));
      await bench.expectUnchanged(before, doing, 'only create, update and delete may change anything');
      expect(
        isEqual(first, second),
        `${doing} says ${JSON.stringify(first)} and then ${JSON.stringify(second)}`,
        'leave out of an observation what changes by itself, as times and counts',
      );
    }
  },
};

const isWithinSchema: Rule = {
  name: 'what observe says fits the definition of the kind',
  async check(bench) {
    const { managed, credential } = await bench.ready();
    const { status, lateInitialized, details = {}, ready } = await observe(bench, managed, credential);
    const { managed: kind } = bench.conformance;
    const problems = [
      ...schemaProblems(kind, 'status', status ?? {}),
      ...schemaProblems(kind, 'spec.forProvider', lateInitialized ?? {}),
      ...Object.entries(details).flatMap(([key, value]) =>
        isString(value) || value === null ? [] : [`details.${key}: not a text`],
      ),
      ...(ready !== undefined && ready.type !== 'Ready' ? [`ready: of the type ${ready.type}`] : []),
    ];
    expect(
      problems.length === 0,
      `observe answers with what the API server would drop or refuse: ${problems.join('; ')}`,
      'say in `defineManaged` what there is, or leave it out',
    );
  },
};

const tellsAbsence: Rule = {
  name: 'what is not there is absent, and not an error',
  async check(bench) {
    const draft = bench.draft('absent');
    for (const managed of [draft, bench.leaving(draft)]) {
      const found = await outcomeOf(observe(bench, managed));
      const doing =
        managed === draft ? 'of what is not there' : 'of what is not there, and is being deleted,';
      expect(
        found.type === 'done',
        `observe ${doing} is an error: ${messageOf(found)}`,
        'answer `exists: false` where the system says in its own words that there is none, as with its code of a 404',
      );
      expect(
        !found.value.exists,
        `observe ${doing} says that it exists`,
        'answer `exists: false`, or nothing is ever made',
      );
    }
  },
};

const tellsFailure: Rule = {
  name: 'a system that fails is an error, and not absence',
  async check(bench) {
    needed(bench.world.fail, 'world.fail');
    const { managed, credential } = await bench.ready();
    bench.world.fail?.('the system is out of order');
    const mend =
      'throw whatever is not the system’s own word for absence: what is taken for absent is made again, or forgotten';
    for (const seen of [managed, bench.leaving(managed)]) {
      const found = await outcomeOf(observe(bench, seen, credential));
      expect(found.type === 'failed', `observe takes a system that fails for ${saidBy(found)}`, mend);
    }
    const client = await bench.client(managed);
    const deleted = await outcomeOf(bench.settled(deletion(client, bench.leaving(managed)), 'delete'));
    expect(deleted.type === 'failed', 'delete takes a system that fails for success', mend);
  },
};

const saidBy = (found: Outcome<Observation>): string =>
  found.type === 'done' && !found.value.exists ? 'absence' : 'one that answers';

export const observing: readonly Rule[] = [isPure, isWithinSchema, tellsAbsence, tellsFailure];
