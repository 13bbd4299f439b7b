/*
 *   the list of stacks ──▶ check-stacks.ts, stack.ts: checks for conflicts
 *                └──▶ definitions ──▶ manifest-problems.ts: checks the manifests
 */

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { crdName } from '../apis/core/v1alpha1/kind.ts';
import { StoreConfigKind } from '../apis/core/v1alpha1/store-config.ts';
import { customResourceDefinition } from '../apis/crd.ts';
import { checkStacks } from '../controllers/author/check-stacks.ts';
import type { DefinedStack } from '../controllers/author/define-stack.ts';
import { environmentAtRest } from '../controllers/author/environment-at-rest.ts';
import { stackControllers } from '../controllers/stack.ts';
import { manifestProblems } from './manifest-problems.ts';

export interface DescribeStacksOptions {
  /** A folder of example manifests: `*.yaml`, at any depth. */
  readonly manifests: string;
}

/**
 * Tests the stacks of a process together: they can run in one process, each of their definitions can be generated, and the
 * manifests fit the definitions. One test for each, with the problems as message.
 *
 *     describeStacks(stacks, { manifests: join(import.meta.dirname, '..', 'examples') });
 */
export function describeStacks(
  stacks: readonly DefinedStack[],
  { manifests: folder }: DescribeStacksOptions,
): void {
  describe('the stacks', () => {
    test('the list has at least one stack', () => assert.ok(stacks.length > 0));

    test('the stacks can run in one process', () => {
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
    test('the folder has at least one manifest', () => assert.ok(manifests.length > 0, folder));
    for (const file of manifests) {
      test(`${file} fits the definitions`, () => {
        const problems = manifestProblems(definitions, readFileSync(join(folder, file), 'utf8'));
        assert.deepEqual(problems, []);
      });
    }
  });
}
