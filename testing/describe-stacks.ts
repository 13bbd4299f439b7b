/*
 *   the list of stacks ──▶ check-stacks.ts, stack.ts: do they go together?
 *                └──▶ definitions ──▶ manifest-problems.ts: do the manifests fit them?
 */

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { StoreConfigKind } from '../apis/core/v1alpha1/store-config.ts';
import { crdName, customResourceDefinition } from '../apis/crd.ts';
import { checkStacks } from '../controllers/author/check-stacks.ts';
import type { DefinedStack } from '../controllers/author/define-stack.ts';
import { stackControllers } from '../controllers/core/stack.ts';
import { environmentAtRest } from '../controllers/environment-at-rest.ts';
import { manifestProblems } from './manifest-problems.ts';

export interface DescribeStacksOptions {
  /** A folder of manifests that users are shown: `*.yaml`, however deep. */
  readonly manifests: string;
}

/**
 * Tests the stacks of a process, all together: that they can run in one, that each of their definitions can be generated, and
 * that the manifests fit these. A test for each, with what is wrong.
 *
 *     describeStacks(stacks, { manifests: join(import.meta.dirname, '..', 'examples') });
 */
export function describeStacks(
  stacks: readonly DefinedStack[],
  { manifests: folder }: DescribeStacksOptions,
): void {
  describe('the stacks', () => {
    test('there are some', () => assert.ok(stacks.length > 0));

    test('go together', () => {
      checkStacks(stacks);
      stackControllers(environmentAtRest(), stacks);
    });

    const definitions = [...stacks.flatMap((stack) => stack.definitions), StoreConfigKind];
    for (const definition of new Set(definitions)) {
      test(`the definition ${crdName(definition)} can be generated`, () => {
        customResourceDefinition(definition);
      });
    }

    const manifests = globSync('**/*.yaml', { cwd: folder }).toSorted();
    test('there are manifests', () => assert.ok(manifests.length > 0, folder));
    for (const file of manifests) {
      test(`${file} fits the definitions`, () => {
        const problems = manifestProblems(definitions, readFileSync(join(folder, file), 'utf8'));
        assert.deepEqual(problems, []);
      });
    }
  });
}
