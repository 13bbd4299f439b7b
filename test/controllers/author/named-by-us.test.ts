import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { available, unavailable } from '../../../apis/core/v1alpha1/condition.ts';
import { CloudError } from '../../../clients/cloud-error.ts';
import { labelled, ownerTags } from '../../../clients/ownership-tags.ts';
import { ownerOf } from '../../../controllers/author/check-ownership.ts';
import type { ManagedDatabase, ObservedDatabase } from '../../../controllers/author/named-by-us.ts';
import { namedByUs } from '../../../controllers/author/named-by-us.ts';
import { encodeIdentity } from '../../../controllers/external-identity.ts';
import { managed } from '../objects.ts';

const { signal } = new AbortController();
const managedDatabase = (...facts: Parameters<typeof managed>) => managed(...facts) as ManagedDatabase;
const published = managedDatabase({ writeConnectionSecretToRef: { namespace: 'infra', name: 'db' } });
const fresh = { value: 'from-the-secret', isApplied: false };
const applied = { ...fresh, isApplied: true };

interface Options {
  /** The requests to change or create it, in order. */
  readonly requests?: unknown[];
  readonly isPasswordPending?: boolean;
  /** Something else differs as well. */
  readonly differs?: boolean;
  /** It exists already when it is created. `unshown`: reads do not show it yet. */
  readonly isThere?: boolean | 'unshown';
  /** Its tags are labels, which allow fewer characters. */
  /** It accepts no changes now. */
  readonly stopped?: boolean;
  readonly hasLabels?: boolean;
  /** A user gave it this name. */
  readonly renamedTo?: string;
  /** Another owner has a database of its name. */
  readonly isTaken?: boolean;
}

/** A database of a cloud. */
const database = ({
  requests = [],
  isPasswordPending,
  differs = false,
  isThere = false,
  hasLabels,
  stopped = false,
  renamedTo,
  isTaken = false,
}: Options = {}) => {
  const owner = (object: ManagedDatabase) => (hasLabels ? labelled(ownerOf(object)) : ownerOf(object));
  return namedByUs<ManagedDatabase, object, object, object>({
    noun: 'database',
    ...(hasLabels && { owner }),
    databases: {
      get: async () => (isThere !== 'unshown' && (renamedTo === undefined || isTaken) ? {} : undefined),
      list: async () => [],
      create: async (wanted) => {
        if (isThere !== false)
          throw new CloudError('it exists', { status: 409, code: 'Exists', isRetryable: false });
        requests.push(wanted);
        return {};
      },
      update: async (_name, change) => {
        requests.push(change);
        return {};
      },
      delete: async () => {
        requests.push('delete');
      },
    },
    newDatabase: (_managed, { password, tags }) => ({ password, ...(hasLabels && { tags }) }),
    observed: (): ObservedDatabase<ManagedDatabase> => ({
      tags: ownerTags({ ...owner(published), ...(isTaken && { name: 'another' }) }),
      isKnown: !isTaken,
      isOnline: !stopped,
      meaning: { ready: stopped ? unavailable('it is stopped') : available() },
      actual: {},
      access: { host: 'db.example', port: 5432, type: 'postgresql', provider: 'a-cloud', username: 'app' },
      status: {},
      ...(isPasswordPending !== undefined && { isPasswordPending }),
    }),
    compare: () =>
      ({
        change: differs ? { size: 5 } : {},
        changed: differs ? ['size'] : [],
        refused: [],
        drifted: [],
        observation: differs ? { differing: ['spec.forProvider.size'] } : {},
      }) as never,
    change: (wanted) => wanted,
    retag: (tags) => tags,
    unprotecting: () => ({ protected: false }),
    setPassword: (password) => ({ password }),
    renaming: {
      find: async () => renamedTo,
      back: (now, before) => `rename ${now} to ${before}`,
    },
  });
};

test('where tags are labels, a resource gets them at its creation, and is ours by them', async () => {
  const requests: unknown[] = [];
  const client = database({ requests, hasLabels: true });
  await client.create(published, fresh, signal);
  const tags = {
    'crossplane-kind': 'favouritedbinstance_database_fcp_crossplane_io',
    'crossplane-name': 'db',
    'crossplane-providerconfig': 'default',
  };
  assert.deepEqual(requests, [{ password: fresh.value, tags }]);
  const { exists, isUpToDate } = await client.observe(published, applied, signal);
  assert.deepEqual([exists, isUpToDate], [true, true]);
});

describe('protection by the cloud', () => {
  test('loses its protection before it is deleted', async () => {
    const requests: unknown[] = [];
    await database({ requests }).delete(published, signal);
    assert.deepEqual(requests, [{ protected: false }, 'delete']);
  });

  test('keeps its protection where policies do not allow Update, which is said before the cloud refuses', async () => {
    const requests: unknown[] = [];
    const spec = { ...published.spec, managementPolicies: ['Observe', 'Delete'] as const };
    await assert.rejects(database({ requests }).delete({ ...published, spec }, signal), {
      message:
        'database "db" is protected against deletion, and spec.managementPolicies do not allow Update to remove the protection; add Create and Update',
    });
    assert.deepEqual(requests, []);
  });
});

const detailsOf = (password?: string) => ({
  type: 'postgresql',
  provider: 'a-cloud',
  endpoint: 'db.example',
  host: 'db.example',
  port: '5432',
  username: 'app',
  ...(password !== undefined && { uri: `postgresql://app:${password}@db.example:5432/` }),
});

describe('the credential', () => {
  test('is set at creation, and is in the details only where they contain it', async () => {
    const requests: unknown[] = [];
    const created = await database({ requests }).create(published, fresh, signal);
    assert.deepEqual([requests, created], [[{ password: fresh.value }], { details: detailsOf(fresh.value) }]);
  });

  test('is not set where something is found in place of being created, and that is said', async () => {
    const requests: unknown[] = [];
    const created = await database({ requests, isThere: true }).create(published, fresh, signal);
    assert.deepEqual([requests, created], [[], { isExisting: true }]);
  });

  test('is not set where the cloud calls a database existing and does not show it, which is waited for', async () => {
    const requests: unknown[] = [];
    await assert.rejects(database({ requests, isThere: 'unshown' }).create(published, fresh, signal), {
      message: 'it exists; the cloud does not show it yet',
      errorClass: 'NotReady',
    });
    assert.deepEqual(requests, []);
  });

  test('the password of a resource without Secret is random, and is shown nowhere', async () => {
    const requests: { readonly password?: string }[] = [];
    const created = await database({ requests }).create(published, undefined, signal);
    assert.match(requests[0]?.password ?? '', /^[A-Za-z0-9_-]{32}$/);
    assert.deepEqual(created, { details: detailsOf() });
  });

  const rows = {
    'is set alone where it is not applied': {
      credential: fresh,
      differs: true,
      requests: [{ password: fresh.value }],
    },
    'is left alone where it is applied': { credential: applied, differs: true, requests: [{ size: 5 }] },
    'is left alone where nothing differs': { credential: applied, differs: false, requests: [] },
  };
  for (const [name, { credential, differs, requests: want }] of Object.entries(rows)) {
    test(`${name} in update`, async () => {
      const requests: unknown[] = [];
      const updated = await database({ requests, differs }).update(published, credential, signal);
      assert.deepEqual([requests, updated], [want, { details: detailsOf(fresh.value) }]);
    });
  }

  test('is pending after update where the cloud uses it later', async () => {
    const { isCredentialPending } = await database({ isPasswordPending: false }).update(
      published,
      fresh,
      signal,
    );
    assert.equal(isCredentialPending, true);
  });

  const verdicts = [
    { isPasswordPending: undefined, credential: applied, want: undefined },
    { isPasswordPending: true, credential: applied, want: 'pending' },
    { isPasswordPending: false, credential: applied, want: 'inForce' },
    // Another one may be what the cloud has.
    { isPasswordPending: false, credential: fresh, want: undefined },
    { isPasswordPending: true, credential: fresh, want: undefined },
    { isPasswordPending: true, credential: undefined, want: undefined },
  ] as const;
  for (const { isPasswordPending, credential, want } of verdicts) {
    const of = credential === undefined ? 'none' : credential.isApplied ? 'an applied one' : 'another one';
    test(`is ${want ?? 'not reported'} in observe of ${of}, with isPasswordPending ${isPasswordPending}`, async () => {
      const options = isPasswordPending === undefined ? {} : { isPasswordPending };
      const observed = await database(options).observe(published, credential, signal);
      const shown = [observed.credential, observed.isUpToDate, observed.details];
      assert.deepEqual(shown, [want, true, detailsOf(credential?.value)]);
    });
  }
});

test('a database that accepts no changes now reports the fields that wait, and the reason', async () => {
  const observe = async (differs: boolean) => {
    const observed = await database({ stopped: true, differs }).observe(published, applied, signal);
    const { isUpToDate, unchangeable, differing } = observed;
    return { isUpToDate, unchangeable, differing };
  };
  const unchangeable = 'it is stopped';
  assert.deepEqual(await observe(true), {
    isUpToDate: false,
    unchangeable,
    differing: ['spec.forProvider.size'],
  });
  assert.deepEqual(await observe(false), { isUpToDate: true, unchangeable, differing: undefined });
});

describe('a database that is not found by its name, but by its id', () => {
  const externalIdentity = encodeIdentity({ name: 'db', fields: {} });
  const recorded: ManagedDatabase = { ...published, status: { externalIdentity } };
  const observe = (object: ManagedDatabase, renamedTo = 'store') =>
    database({ renamedTo }).observe(object, undefined, signal);
  const absent = { exists: false, isUpToDate: false };
  const taken =
    'another database has the name "db" now, and the database of this resource was renamed to "store"; to use it under that name: kubectl annotate favouritedbinstance.database.fcp.crossplane.io db --overwrite crossplane.io/external-name=store';

  test('is reported as renamed, with both ways out', async () =>
    assert.deepEqual(await observe(recorded), {
      ...absent,
      renamed:
        'database "db" was renamed to "store"; rename store to db. Or, to have an empty one created, while database "store" keeps the data: kubectl annotate favouritedbinstance.database.fcp.crossplane.io db --overwrite crossplane.io/adopt-identity=or-create',
      newName: 'store',
    }));

  test('is reported with its new name if another owner has taken the former one, and followed by one command', async () =>
    assert.deepEqual(
      await database({ renamedTo: 'store', isTaken: true }).observe(recorded, undefined, signal),
      {
        ...absent,
        taken,
        renamed: taken,
        newName: 'store',
      },
    ));

  test('has lost its mark if another owner has taken the name, and it is nowhere', async () =>
    assert.rejects(database({ renamedTo: 'db', isTaken: true }).observe(recorded, undefined, signal), {
      errorClass: 'MarkLost',
    }));

  test('is not reported as renamed to its own name: it came between two requests', async () =>
    assert.deepEqual(await observe(recorded, 'db'), absent));

  test('remains if its resource is being deleted, and an Event names it', async () => {
    const metadata = { ...recorded.metadata, deletionTimestamp: '2026-01-02T03:04:05Z' };
    assert.deepEqual(await observe({ ...recorded, metadata }), {
      ...absent,
      remains: 'database "store", which was renamed',
    });
  });

  test('does not count for a resource that was never there, or is only observed', async () => {
    assert.deepEqual(await observe(published), absent);
    const spec = { ...recorded.spec, managementPolicies: ['Observe'] as const };
    assert.deepEqual(await observe({ ...recorded, spec }), absent);
  });
});
