import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { rightsOf } from '../fakes/granted.ts';
import { leaseRule, loopOf, notGranted, rateRule } from './audit-rules.ts';
import type { AuditedRequest } from './audit-trail.ts';
import { auditedRequest } from './audit-trail.ts';

const request = (user: string, atMs: number, given: Partial<AuditedRequest> = {}): AuditedRequest => ({
  user,
  verb: 'patch',
  resource: 'claims.example.org',
  namespace: 'team',
  key: 'team/one',
  receivedMs: atMs,
  answeredMs: atMs + 5,
  code: 200,
  ...given,
});
const lease = (user: string, atMs: number, given: Partial<AuditedRequest> = {}) =>
  request(user, atMs, {
    verb: 'update',
    resource: 'leases.coordination.k8s.io',
    key: 'crossplane-system/services-stack',
    holder: user,
    ...given,
  });

describe('a line of the audit log', () => {
  test('tells who did what to what, when and with which result', () => {
    const line = JSON.stringify({
      verb: 'patch',
      user: { username: 'stack-1' },
      objectRef: {
        resource: 'claims',
        apiGroup: 'example.org',
        subresource: 'status',
        namespace: 'team',
        name: 'one',
      },
      responseStatus: { code: 409 },
      requestReceivedTimestamp: '2026-01-01T00:00:01.500000Z',
      stageTimestamp: '2026-01-01T00:00:02.000000Z',
    });
    const startMs = Date.parse('2026-01-01T00:00:00Z');
    assert.deepEqual(auditedRequest(line), {
      user: 'stack-1',
      verb: 'patch',
      resource: 'claims.example.org/status',
      namespace: 'team',
      key: 'team/one',
      receivedMs: startMs + 1500,
      answeredMs: startMs + 2000,
      code: 409,
    });
  });
});

describe('only the leader writes', () => {
  const release = lease('a', 1000, { holder: '' });
  const cases: readonly (readonly [string, readonly AuditedRequest[], RegExp?])[] = [
    [
      'the holder of the Lease may write',
      [lease('a', 0), request('a', 100), lease('a', 10_000), request('a', 24_000)],
    ],
    [
      'a process that never led may not write',
      [lease('a', 0), request('b', 50)],
      /^acted without ever having led: .*b patch claims/,
    ],
    [
      'a process that was followed by another may not write, not even if the write is refused',
      [lease('a', 0), lease('b', 20_000), request('b', 20_100), request('a', 20_200, { code: 409 })],
      /^acted after its lease had passed on: .* a patch /,
    ],
    [
      'a holder that did not renew in time may not write, although no other process leads',
      [lease('a', 0), request('a', 15_100)],
      /^acted 15095 ms after its last renewal/,
    ],
    [
      'a holder that released the Lease may not write',
      [lease('a', 0), release, request('a', 1100)],
      /after its lease had passed on/,
    ],
  ];
  for (const [name, requests, says] of cases) {
    test(name, () => {
      const rule = leaseRule(15_000);
      const found = requests.flatMap((each) => rule.check(each) ?? []);
      assert.equal(found.length, says === undefined ? 0 : 1, found.join('; '));
      if (says !== undefined) assert.match(found[0]!, says);
    });
  }
});

test('a forbidden request is a fault unless a role grants it', () => {
  const rights = rightsOf([
    {
      rules: [
        { apiGroups: ['example.org'], resources: ['claims/status'], verbs: ['patch'] },
        { apiGroups: [''], resources: ['secrets'], resourceNames: ['one'], verbs: ['get'] },
      ],
    },
  ]);
  const reported = (given: Partial<AuditedRequest>) => notGranted(request('a', 0, given), rights);
  // A server that begins does not know the roles yet.
  assert.equal(reported({ code: 403, resource: 'claims.example.org/status' }), undefined);
  assert.equal(reported({ code: 403, verb: 'get', resource: 'secrets', key: 'x/one' }), undefined);
  assert.equal(reported({ code: 404 }), undefined);
  assert.match(reported({ code: 403 })!, /^asked for what its roles do not grant: 1970.* a patch /);
});

test('the requests of one process about one object are counted within any minute', () => {
  const rule = rateRule();
  const loop = loopOf(request('a', 0)) ?? '';
  for (const atMs of [0, 30_000, 59_999, 60_000, 200_000]) rule.add(loop, atMs);
  assert.deepEqual([...rule.busiest()], [['a claims.example.org team/one', 3]]);
});
