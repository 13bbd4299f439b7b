import isEqual from 'lodash/isEqual.js';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { Observation } from '../../controllers/managed/connecting/external-client.ts';
import type { Outcome } from '../outcome.ts';
import { messageOf, outcomeOf } from '../outcome.ts';
import { schemaProblems } from '../schema-problems.ts';
import { expect, needed } from '../verdict.ts';
import { deletion, observe } from './calls.ts';
import type { Rule } from './rule.ts';

const isPure: Rule = {
  name: 'observe changes nothing and returns the same result twice',
  async check(bench) {
    const { managed, credential } = await bench.ready();
    const { changes = [] } = bench.conformance;
    const cases: readonly (readonly [string, Managed])[] = [
      ['observe of an external resource that does not exist', bench.draft('absent', bench.another())],
      ['observe of a resource that is up to date', managed],
      ...changes.map((change): [string, Managed] => {
        const forProvider = { ...managed.spec.forProvider, ...change };
        const edited = { ...managed, spec: { ...managed.spec, forProvider } };
        return [`observe of a resource that differs by ${JSON.stringify(change)}`, edited];
      }),
    ];
    for (const [doing, subject] of cases) {
      const before = await bench.externals();
      const first = await outcomeOf(observe(bench, subject, credential));
      const second = await outcomeOf(observe(bench, subject, credential));
      await bench.expectUnchanged(
        before,
        doing,
        'change external resources only in create, update and delete',
      );
      expect(
        isEqual(first, second),
        `${doing} returns first ${JSON.stringify(first)} and then ${JSON.stringify(second)}`,
        'leave values that change by themselves, such as times and counts, out of the observation',
      );
    }
  },
};

const isWithinSchema: Rule = {
  name: 'the result of observe fits the definition of the kind',
  async check(bench) {
    const { managed, credential } = await bench.ready();
    const { status, lateInitialized } = await observe(bench, managed, credential);
    const { managed: kind } = bench.conformance;
    const problems = [
      ...schemaProblems(kind, 'status', status ?? {}),
      ...schemaProblems(kind, 'spec.forProvider', lateInitialized ?? {}),
    ];
    expect(
      problems.length === 0,
      `the result of observe does not fit, and is left out or refused: ${problems.join('; ')}`,
      'declare the fields in `defineManaged`, or leave them out',
    );
  },
};

const tellsAbsence: Rule = {
  name: 'observe reports an external resource that does not exist as absent, not as an error',
  async check(bench) {
    const draft = bench.draft('absent');
    for (const managed of [draft, bench.leaving(draft)]) {
      const found = await outcomeOf(observe(bench, managed));
      const doing =
        managed === draft
          ? 'of an external resource that does not exist'
          : 'of an external resource that does not exist, during its deletion,';
      expect(
        found.type === 'done',
        `observe ${doing} throws: ${messageOf(found)}`,
        'return `exists: false` if the system itself reports absence, for example by its error code in a 404',
      );
      expect(
        !found.value.exists,
        `observe ${doing} reports that it exists`,
        'return `exists: false`; otherwise the external resource is never created',
      );
    }
  },
};

const tellsFailure: Rule = {
  name: 'a failure of the system is an error, not absence',
  async check(bench) {
    needed(bench.world.fail, 'world.fail');
    const { managed, credential } = await bench.ready();
    bench.world.fail?.('the system is out of order');
    const fix =
      'throw every error that is not the system’s own report of absence: an absent external resource is created again or forgotten';
    for (const subject of [managed, bench.leaving(managed)]) {
      const found = await outcomeOf(observe(bench, subject, credential));
      expect(found.type === 'failed', `observe treats a failure of the system as ${outcomeText(found)}`, fix);
    }
    const client = await bench.client(managed);
    const deleted = await outcomeOf(bench.settled(deletion(client, bench.leaving(managed)), 'delete'));
    expect(deleted.type === 'failed', 'delete treats a failure of the system as success', fix);
  },
};

const tellsEmptyAnswer: Rule = {
  name: 'an empty answer of the system is an error, not absence',
  async check(bench) {
    needed(bench.world.answer, 'world.answer');
    const { managed, credential } = await bench.ready();
    for (const text of ['', '{}']) {
      bench.world.answer?.(text);
      for (const subject of [managed, bench.leaving(managed)]) {
        const found = await outcomeOf(observe(bench, subject, credential));
        expect(
          found.type === 'failed',
          `observe treats the answer ${JSON.stringify(text)} of the system as ${outcomeText(found)}`,
          'check the form of each answer, for example with a schema, and throw if something is missing',
        );
      }
    }
  },
};

const outcomeText = (found: Outcome<Observation>): string =>
  found.type === 'done' && !found.value.exists ? 'absence' : 'an existing external resource';

export const observing: readonly Rule[] = [
  isPure,
  isWithinSchema,
  tellsAbsence,
  tellsFailure,
  tellsEmptyAnswer,
];
