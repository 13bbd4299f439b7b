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
      'every process may read',
      [lease('a', 0), request('b', 1, { verb: 'get' }), request('b', 2, { verb: 'watch' })],
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
      'a write that arrived before the Lease changed is allowed',
      [lease('a', 0), lease('b', 14_000), request('a', 13_000)],
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
    [
      'a Lease that was not written changes nothing',
      [lease('a', 0), lease('b', 1000, { code: 409 }), request('a', 1100)],
    ],
    [
      'a process that leads a second time may write again',
      [lease('a', 0), lease('b', 20_000), lease('a', 40_000), request('a', 41_000)],
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

  test('no process leads once the holder released the Lease', () => {
    const rule = leaseRule(15_000);
    rule.check(lease('a', 0));
    assert.equal(rule.leader(), 'a');
    rule.check(release);
    assert.equal(rule.leader(), undefined);
  });
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

describe('how often something happens', () => {
  test('is counted within any minute, for each thing', () => {
    const rule = rateRule();
    for (const atMs of [0, 30_000, 59_999, 60_000, 200_000]) rule.add('one', atMs);
    rule.add('two', 0);
    assert.deepEqual(rule.busiest(), [
      { what: 'one', perMinute: 3, atMs: 59_999 },
      { what: 'two', perMinute: 1, atMs: 0 },
    ]);
  });

  test('all that one life asks about one object is one loop; renewing the lease is none', () => {
    assert.equal(loopOf(request('a', 0)), 'a claims.example.org team/one');
    assert.equal(
      loopOf(request('a', 0, { verb: 'get', resource: 'claims.example.org/status' })),
      'a claims.example.org team/one',
    );
    assert.equal(loopOf(request('a', 0, { verb: 'list', key: '' })), 'a list claims.example.org');
    assert.equal(loopOf(lease('a', 0)), undefined);
  });
});
