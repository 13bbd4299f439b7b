import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lostReferenceFinder } from '../../../controllers/references/lost-references.ts';
import type { ReferenceField } from '../../../controllers/references/references.ts';
import { FakeCluster } from '../cluster-fake.ts';
import { FakeProcess } from '../environment-fake.ts';
import { managed, otherManagedKind } from '../objects.ts';

const one: ReferenceField = { field: 'groupName', ref: 'groupNameRef', to: otherManagedKind };
const many: ReferenceField = { ...one, field: 'groups', ref: 'groupRefs', multiple: true };
const lost = (field: string, name: string, advice = 'create it, or change the reference') =>
  `spec.forProvider.${field}: ${otherManagedKind.kind} ${name} does not exist; ${advice}`;

const cases: Readonly<Record<string, { readonly forProvider: object; readonly says?: string }>> = {
  'a value without a reference is a name that an administrator chose': { forProvider: { groupName: 'blue' } },
  'a reference without a value is not resolved yet': { forProvider: { groupNameRef: { name: 'gone' } } },
  'a resource that is there is meant': { forProvider: { groupName: 'a', groupNameRef: { name: 'there' } } },
  'a resource that is gone leaves a name that others may have': {
    forProvider: { groupName: 'a', groupNameRef: { name: 'gone' } },
    says: lost('groupNameRef', 'gone'),
  },
  'a resource that cannot exist is not to be created': {
    forProvider: { groupName: 'a', groupNameRef: { name: 'Gone' } },
    says: lost('groupNameRef', 'Gone', 'change the reference: no object can have that name'),
  },
  'one of several is enough': {
    forProvider: { groups: ['a', 'b'], groupRefs: [{ name: 'there' }, { name: 'gone' }] },
    says: lost('groupRefs', 'gone'),
  },
  'beside an Optional reference a value may be chosen by hand': {
    forProvider: { groupName: 'a', groupNameRef: { name: 'gone', policy: { resolution: 'Optional' } } },
  },
};

for (const [rule, { forProvider, says }] of Object.entries(cases)) {
  test(rule, () => {
    const cluster = new FakeCluster();
    cluster.put(otherManagedKind, managed({}, { name: 'there' }));
    const lostReference = lostReferenceFinder(new FakeProcess(cluster).env, [one, many]);
    assert.equal(lostReference(managed({ forProvider })), says);
  });
}
