import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AuditedRequest } from './audit-trail.ts';
import { overtakenRule } from './overtaken.ts';

const request = (
  user: string,
  verb: string,
  receivedMs: number,
  answeredMs: number,
  given: Partial<AuditedRequest> = {},
): AuditedRequest => ({
  user,
  verb,
  resource: 'things.example.org',
  key: 'one',
  receivedMs,
  answeredMs,
  code: 200,
  ...given,
});
const created = request('admin', 'create', 0, 5, { code: 201 });
const finalizer = request('stack-1', 'patch', 10, 20);
const deletion = request('admin', 'delete', 15, 25);
const status = { resource: 'things.example.org/status' };

const cases: readonly (readonly [
  string,
  readonly AuditedRequest[],
  readonly (readonly [string, string])[],
])[] = [
  [
    'a deletion that began before the first write of a replica was answered, and ended after it',
    [created, finalizer, deletion],
    [['one', 'stack-1']],
  ],
  [
    'one after which the replica finds nothing any more',
    [created, finalizer, deletion, request('stack-1', 'patch', 30, 35, { ...status, code: 404 })],
    [['one', 'stack-1']],
  ],
  [
    'not one that began when that was answered: the finalizer holds',
    [created, finalizer, request('admin', 'delete', 21, 25)],
    [],
  ],
  [
    'not one after which the replica could write once more: the finalizer held',
    [created, finalizer, deletion, request('stack-1', 'patch', 30, 35)],
    [],
  ],
  [
    'nor if that was its status',
    [created, finalizer, deletion, request('stack-1', 'patch', 30, 35, status)],
    [],
  ],
  ['not where the write of the replica was refused', [created, { ...finalizer, code: 404 }, deletion], []],
  ['not where the deletion was refused', [created, finalizer, { ...deletion, code: 404 }], []],
  [
    'not one by the replica, which has a precondition',
    [created, finalizer, { ...deletion, user: 'stack-1' }],
    [],
  ],
  [
    'not one of another kind of that name',
    [created, finalizer, { ...deletion, resource: 'others.example.org' }],
    [],
  ],
  [
    'not for a later write: the finalizer was there before',
    [created, finalizer, request('stack-1', 'patch', 21, 30), request('admin', 'delete', 25, 35)],
    [],
  ],
];

describe('a deletion overtakes a finalizer', () => {
  for (const [name, requests, expected] of cases) {
    test(name, () => {
      const rule = overtakenRule((user) => user.startsWith('stack-'));
      for (const each of requests) rule.add(each);
      assert.deepEqual([...rule.makers], expected);
    });
  }
});
