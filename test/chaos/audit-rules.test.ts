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
  const check = (...requests: readonly AuditedRequest[]) => {
    const rule = leaseRule(15_000);
    return requests.flatMap((each) => rule.check(each) ?? []);
  };

  test('the holder of the Lease may write, and every process may read', () => {
    assert.deepEqual(
      check(
        lease('a', 0, { verb: 'create' }),
        request('a', 100),
        lease('a', 10_000),
        request('a', 24_000),
        request('b', 24_100, { verb: 'get' }),
        request('b', 24_200, { verb: 'watch' }),
      ),
      [],
    );
  });

  test('a process that never led may not write', () => {
    assert.match(
      check(lease('a', 0), request('b', 50))[0]!,
      /^acted without ever having led: .*b patch claims/,
    );
  });

  test('nor who was followed by another, not even with a write that is refused', () => {
    const requests = [
      lease('a', 0),
      lease('b', 20_000),
      request('b', 20_100),
      request('a', 20_200, { code: 409 }),
    ];
    assert.match(check(...requests)[0]!, /^acted after its lease had passed on: .* a patch /);
    assert.equal(check(...requests).length, 1);
  });

  test('a write that arrived before the Lease changed is allowed', () => {
    assert.deepEqual(check(lease('a', 0), lease('b', 14_000), request('a', 13_000)), []);
  });

  test('a holder that did not renew in time may not write, although no other process leads', () => {
    assert.match(check(lease('a', 0), request('a', 15_100))[0]!, /^acted 15095 ms after its last renewal/);
  });

  test('a holder that released the Lease may not write; then no process leads', () => {
    const rule = leaseRule(15_000);
    for (const each of [lease('a', 0), lease('a', 1000, { holder: '' })]) rule.check(each);
    assert.equal(rule.leader(), undefined);
    assert.match(rule.check(request('a', 1100))!, /after its lease had passed on/);
  });

  test('a lease that was not written changes nothing', () => {
    const rule = leaseRule(15_000);
    for (const each of [lease('a', 0), lease('b', 1000, { code: 409 })]) rule.check(each);
    assert.equal(rule.leader(), 'a');
    assert.equal(rule.check(request('a', 1100)), undefined);
  });

  test('a process that leads a second time may write again', () => {
    assert.deepEqual(check(lease('a', 0), lease('b', 20_000), lease('a', 40_000), request('a', 41_000)), []);
  });
});

describe('a forbidden request is a fault', () => {
  const rights = rightsOf([
    {
      rules: [
        { apiGroups: ['example.org'], resources: ['claims'], verbs: ['list', 'patch'] },
        { apiGroups: ['example.org'], resources: ['claims/status'], verbs: ['patch'] },
        { apiGroups: ['coordination.k8s.io'], resources: ['leases'], resourceNames: ['one'], verbs: ['get'] },
        { apiGroups: [''], resources: ['secrets'], verbs: ['get'] },
      ],
    },
  ]);
  const what = 'coordination.k8s.io';
  const cases: readonly (readonly [string, Partial<AuditedRequest>, boolean])[] = [
    ['and granted, by a server that does not know of it yet', { code: 403 }, true],
    ['and granted for a subresource', { code: 403, resource: 'claims.example.org/status' }, true],
    ['and granted in the group without a name', { code: 403, verb: 'get', resource: 'secrets' }, true],
    ['and granted for this name', { code: 403, verb: 'get', resource: `leases.${what}`, key: 'x/one' }, true],
    [
      'and granted for another name',
      { code: 403, verb: 'get', resource: `leases.${what}`, key: 'x/two' },
      false,
    ],
    ['and not granted', { code: 403, verb: 'get' }, false],
    ['and granted for another group', { code: 403, resource: 'claims.example.com' }, false],
    ['not', { code: 404, verb: 'get' }, true],
  ];
  for (const [when, given, isFine] of cases) {
    test(`${when}: ${isFine ? 'is no breach' : 'was asked for in vain'}`, () => {
      const told = notGranted(request('a', 0, given), rights);
      if (isFine) assert.equal(told, undefined);
      else assert.match(told!, /^asked for what its roles do not grant: 1970.* a (get|patch) /);
    });
  }
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
