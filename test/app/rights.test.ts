import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { allStacks } from '../../app/stacks.ts';
import { catalogueOf } from '../../trace/catalogue.ts';

interface Role {
  readonly rules?: readonly Readonly<Record<'apiGroups' | 'resources' | 'verbs', readonly string[]>>[];
}

const rulesIn = (file: string) =>
  parseAllDocuments(readFileSync(join(import.meta.dirname, '..', '..', 'deploy', 'base', file), 'utf8'))
    .map((document) => document.toJS() as Role | null)
    .flatMap((role) => role?.rules ?? []);

describe('a tenant reaches the controllers only with claims and Secrets', () => {
  test('the process reads no ConfigMaps, and watches no Events', () => {
    const rules = rulesIn('cluster-role.yaml').filter(({ resources }) =>
      resources.some((each) => ['configmaps', 'events', '*'].includes(each)),
    );
    assert.deepEqual(rules, [{ apiGroups: [''], resources: ['events'], verbs: ['list', 'create', 'patch'] }]);
  });

  test('users have no right to write a status', () => {
    const rules = rulesIn('user-roles.yaml');
    assert.ok(rules.length > 0);
    const written = rules.flatMap(({ resources }) => resources).filter((each) => /\/status$|\*/.test(each));
    assert.deepEqual(written, []);
    assert.ok(rules.every(({ verbs }) => !verbs.includes('*')));
  });

  test('no claim has a field for tags in a cloud', () => {
    const claims = catalogueOf(allStacks).kinds.filter(({ sort }) => sort === 'claim');
    assert.ok(claims.length > 0);
    assert.doesNotMatch(JSON.stringify(claims), /"tags":/);
  });
});
