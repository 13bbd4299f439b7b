import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { GrantActs } from '../../../controllers/author/grants.ts';
import { grantClient } from '../../../controllers/author/grants.ts';

interface Place {
  readonly user: string;
  readonly database: string;
}
interface Spec extends Place {
  readonly privileges: readonly string[];
}

const signal = new AbortController().signal;

/** A grant in a cluster. `granted`: the record in its status. */
const grant = (forProvider: Partial<Spec>, granted?: Place): Managed =>
  ({
    apiVersion: 'group/v1',
    kind: 'Grant',
    metadata: { name: 'g' },
    spec: { forProvider },
    ...(granted && { status: { granted } }),
  }) as unknown as Managed;

const deleted = (managed: Managed): Managed => ({
  ...managed,
  metadata: { ...managed.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
});

/** A client of a server that has these privileges, by user and database, and the calls that change it. */
function clientOf(
  has: Record<string, readonly string[]>,
  { rival, lost, isDistrusted = false }: { rival?: Managed; lost?: string; isDistrusted?: boolean } = {},
) {
  const calls: string[] = [];
  const keyOf = ({ user, database }: Place) => `${user} on ${database}`;
  const forProviderOf = ({ spec }: Managed) => spec.forProvider as Spec;
  const acts: GrantActs<Managed, Place, Spec, readonly string[]> = {
    spec: forProviderOf,
    place: forProviderOf,
    intended: forProviderOf,
    recorded: ({ status }) => (status as { readonly granted?: Place } | undefined)?.granted,
    granted: ({ user, database }) => ({ user, database }),
    parameters: (privileges) => ({ privileges }),
    differences: (held, { privileges }) => privileges.filter((each) => !held.includes(each)),
    fields: (held, { privileges }) => (privileges.every((each) => held.includes(each)) ? [] : ['privileges']),
    observe: async (place) => has[keyOf(place)],
    isDistrusted: async () => isDistrusted,
    async apply(spec) {
      calls.push(`apply ${keyOf(spec)}`);
      has[keyOf(spec)] = spec.privileges;
    },
    async revoke(place) {
      calls.push(`revoke ${keyOf(place)}`);
      delete has[keyOf(place)];
    },
  };
  const client = grantClient(acts, {
    words: 'user and database',
    rivalOf: () => rival,
    lostReferences: () => lost,
  });
  return { client, calls };
}

const place = { user: 'app', database: 'shop' };
const wanted = { ...place, privileges: ['SELECT'] };

describe('a grant on a shared server', () => {
  test('with the wanted privileges is recorded', async () => {
    const { client } = clientOf({ 'app on shop': ['SELECT'] });
    const { isUpToDate, status } = await client.observe(grant(wanted), undefined, signal);
    assert.deepEqual([isUpToDate, status], [true, { granted: place }]);
  });

  test('names the fields that differ: those of its place, and its privileges', async () => {
    const { client } = clientOf({ 'app on shop': ['INSERT'] });
    const { differing } = await client.observe(grant(wanted, { ...place, user: 'other' }), undefined, signal);
    assert.deepEqual(differing, ['spec.forProvider.user', 'spec.forProvider.privileges']);
  });

  test('to another user is revoked from the previous user first', async () => {
    const { client, calls } = clientOf({ 'app on shop': ['SELECT'] });
    await client.update(grant({ ...wanted, user: 'other' }, place), undefined, signal);
    assert.deepEqual(calls, ['revoke app on shop', 'apply other on shop']);
  });

  test('of a user that does not exist any more is not created again', async () => {
    const { client, calls } = clientOf({ 'app on shop': ['SELECT'] }, { lost: 'the user does not exist' });
    const { exists, isUpToDate, difference } = await client.observe(grant(wanted), undefined, signal);
    assert.deepEqual([exists, isUpToDate, difference], [true, false, 'identity']);
    await assert.rejects(client.update(grant(wanted), undefined, signal), /the user does not exist/);
    assert.deepEqual(calls, []);
  });

  test('to a distrusted name is reported', async () => {
    const { client } = clientOf({ 'app on shop': ['SELECT'] }, { isDistrusted: true });
    const { isUpToDate, difference } = await client.observe(grant(wanted), undefined, signal);
    assert.deepEqual([isUpToDate, difference], [false, 'identity']);
  });

  test('with an older rival is refused, and its deletion revokes nothing', async () => {
    const rival = { ...grant(wanted), metadata: { name: 'older' } } as Managed;
    const { client, calls } = clientOf({ 'app on shop': ['SELECT'] }, { rival });
    await assert.rejects(
      client.observe(grant(wanted), undefined, signal),
      /Grant older has the same user and database/,
    );
    await client.delete(deleted(grant(wanted)), signal);
    assert.deepEqual(calls, []);
  });
});
