/*
 *   describeConformance ──▶ judge, for each rule of rules/rules.ts ──▶ bench.ts: its own world, cluster and clock
 */

import { describe, test } from 'node:test';
import { requireForm } from '../apis/core/forms.ts';
import type { Managed } from '../apis/core/v1alpha1/managed.ts';
import { Bench } from './bench.ts';
import { withinLimit } from './real-moment.ts';
import type { Rule } from './rules/rule.ts';
import { rules } from './rules/rules.ts';
import type { Conformance, ForProvider } from './scenario.ts';
import { conformanceForm } from './scenario-forms.ts';
import type { Verdict } from './verdict.ts';
import { Broken, Skipped } from './verdict.ts';

/**
 * Tests the external client of one managed kind, as its stack runs it: one test per rule, with a message that names the
 * fix. A rule that the world lacks a hook for is skipped, with a message. Throws DefinitionError if an option has another
 * form.
 *
 *     describeConformance({
 *       managed: QueueKind,
 *       forProvider: { size: 3 },
 *       changes: [{ size: 5 }],
 *       refusedChanges: [{ region: 'eu' }],
 *       details: ['endpoint'],
 *       open({ clock }) {
 *         const cloud = fakeQueueCloud(clock);
 *         return {
 *           stack: createQueueStack({ dispatcher: cloud.dispatcher }),
 *           credentials: JSON.stringify({ url: cloud.url, token: cloud.token }),
 *           externals: () => cloud.queues(),
 *           foreign: (name) => cloud.create({ name, tags: {} }),
 *         };
 *       },
 *     });
 */
export function describeConformance<M extends Managed, const Another extends ForProvider<M> = ForProvider<M>>(
  conformance: Conformance<M, Another>,
): void {
  requireForm(describeConformance, conformanceForm, conformance);
  const { kind, group } = conformance.managed;
  describe(`the external client of ${kind}.${group}`, () => {
    for (const rule of rules) {
      test(rule.name, async (t) => {
        const verdict = await judge(rule, conformance);
        if (verdict.type === 'skipped') t.skip(verdict.message);
        if (verdict.type === 'broken') throw new Broken(verdict.message);
      });
    }
  });
}

/** Checks one rule in its own world. A rule that does not end within its limit is broken. */
export async function judge<M extends Managed>(rule: Rule, conformance: Conformance<M>): Promise<Verdict> {
  const { time, limitMs = time === 'real' ? 20 * 60_000 : 2 * 60_000 } = conformance;
  const limited = <T>(work: Promise<T>, doing: () => string): Promise<T> =>
    withinLimit(work, limitMs, () => {
      const fix = 'end each call when its signal is aborted, or raise `limitMs` of the test';
      return new Broken(`${doing()} did not end within ${limitMs / 1_000} s. To fix: ${fix}`);
    });
  let bench: Bench | undefined;
  try {
    const opened = await limited(Bench.open(conformance as unknown as Conformance), () => '`open`');
    bench = opened;
    await limited(rule.check(opened), () => `the rule, whose last call was ${lastCallOf(opened)},`);
    return { type: 'kept' };
  } catch (error) {
    if (error instanceof Skipped) return { type: 'skipped', message: error.message };
    if (error instanceof Broken) return { type: 'broken', message: error.message };
    return { type: 'broken', message: `${error instanceof Error ? error.stack : String(error)}` };
  } finally {
    if (bench !== undefined) await limited(bench.close(), () => '`close` of the world');
  }
}

const lastCallOf = ({ process }: Bench): string => process.calls.at(-1) ?? 'none';
