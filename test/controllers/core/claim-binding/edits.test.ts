import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Claim, ClaimSpec } from '../../../../apis/core/v1alpha1/claim.ts';
import { binding, reconcileError, reconcileSuccess } from '../../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import {
  choiceRecord,
  nameRecord,
  parametersRecord,
  provisionRecord,
} from '../../../../controllers/core/claim/claim-record.ts';
import { provisionedNames } from '../../../../controllers/core/claim/provisioned-name.ts';
import {
  describeEdits,
  ineffectiveEdits,
  withEdits,
} from '../../../../controllers/core/claim-binding/edits.ts';
import {
  claim,
  claimRef,
  classRef,
  deletionTimestamp,
  managed,
  otherManagedKind,
  resourceRef,
} from '../objects.ts';

const name = provisionedNames(claim())[0] ?? '';
const asked = (parameters: object, spec: ClaimSpec = {}): ClaimSpec => ({ ...spec, ...parameters });
const dynamic: ClaimSpec = {
  classSelector: { matchLabels: { size: 'small' } },
  classRef: classRef('small'),
  resourceRef: resourceRef(name),
};
const statically: ClaimSpec = { resourceRef: resourceRef('db') };
/** What a claim was provisioned. */
const provisioned = (spec: ClaimSpec = dynamic) =>
  managed(
    { claimRef: claimRef(), classRef: classRef('small') },
    { name, annotations: provisionRecord(claim(spec)) },
  );
/** What a claim took by name, which was made from a class for a former claim. */
const taken = (spec: ClaimSpec = statically) =>
  managed(
    { claimRef: claimRef(), classRef: classRef('of-a-former-claim') },
    { annotations: parametersRecord(claim(spec)) },
  );
const calling = (external: string) => ({ annotations: { 'crossplane.io/external-name': external } });
/** What has that external name now, and had that when the claim got it. */
const called = (now: string, then: string | undefined) =>
  managed(provisioned().spec, {
    name,
    annotations: { ...provisionRecord(claim(dynamic)), ...calling(now).annotations, ...nameRecord(then) },
  });
const chosen = { annotations: choiceRecord(claim(dynamic)) };
const long = 'x'.repeat(2_000);

interface Row {
  readonly claim: Claim;
  readonly held?: Managed;
  readonly want: readonly string[];
}

const rows: Record<string, Row> = {
  'nothing was edited: provisioned': { claim: claim(dynamic), held: provisioned(), want: [] },
  'nothing was edited: taken by name': { claim: claim(statically), held: taken(), want: [] },
  'nothing was edited: a class was chosen': { claim: claim(dynamic, chosen), want: [] },
  'nothing can be known of a class that the author chose': {
    claim: claim({ ...dynamic, classSelector: { matchLabels: { size: 'large' } } }),
    want: [],
  },
  'a claim without a class is free to edit': {
    claim: claim({ classSelector: { matchLabels: { size: 'large' } } }, chosen),
    want: [],
  },
  'a deleted claim is told of nothing': {
    claim: claim({ ...dynamic, resourceRef: resourceRef('other') }, { deletionTimestamp }),
    held: provisioned(),
    want: [],
  },
  'resourceRef to another': {
    claim: claim({ resourceRef: resourceRef('other') }),
    held: taken(),
    want: ['spec.resourceRef names FavouriteDBInstance other, but the claim has FavouriteDBInstance db'],
  },
  'resourceRef to another kind of the same group': {
    claim: claim({ resourceRef: { ...resourceRef('db'), kind: 'FavouriteDBCluster' } }),
    held: taken(),
    want: ['spec.resourceRef names FavouriteDBCluster db, but the claim has FavouriteDBInstance db'],
  },
  'resourceRef to another kind': {
    claim: claim({ resourceRef: resourceRef('db', otherManagedKind) }),
    held: taken(),
    want: ['spec.resourceRef names AmbivalentDBInstance db, but the claim has FavouriteDBInstance db'],
  },
  'resourceRef to the same kind of another group': {
    claim: claim({ resourceRef: { ...resourceRef('db'), apiVersion: 'example.org/v1' } }),
    held: taken(),
    want: ['spec.resourceRef names FavouriteDBInstance db, but the claim has FavouriteDBInstance db'],
  },
  'resourceRef removed': {
    claim: claim(),
    held: taken(),
    want: ['spec.resourceRef names nothing, but the claim has FavouriteDBInstance db'],
  },
  'classRef of a provisioned resource': {
    claim: claim({ ...dynamic, classRef: classRef('large') }),
    held: provisioned(),
    want: [
      `spec.classRef names FavouriteDBInstanceClass large, but FavouriteDBInstance ${name} was made from FavouriteDBInstanceClass small`,
    ],
  },
  'classRef, where an administrator has removed that of the resource': {
    claim: claim({ ...dynamic, classRef: classRef('large') }),
    held: managed({ claimRef: claimRef() }, { name, annotations: provisionRecord(claim(dynamic)) }),
    want: [],
  },
  'classSelector of a provisioned resource': {
    claim: claim({ ...dynamic, classSelector: { matchLabels: { size: 'large' } } }),
    held: provisioned(),
    want: ['spec.classSelector is size=large, but was size=small for the class'],
  },
  'classSelector edited between the choice of the class and the creation': {
    claim: claim({ ...dynamic, classSelector: { matchLabels: { size: 'large' } } }, chosen),
    held: managed(provisioned().spec, {
      name,
      annotations: provisionRecord(
        claim({ ...dynamic, classSelector: { matchLabels: { size: 'large' } } }, chosen),
      ),
    }),
    want: ['spec.classSelector is size=large, but was size=small for the class'],
  },
  'classSelector once a class was chosen, while there is no resource yet': {
    claim: claim({ ...dynamic, classSelector: { matchLabels: { size: 'large' } } }, chosen),
    want: ['spec.classSelector is size=large, but was size=small for the class'],
  },
  'classSelector removed': {
    claim: claim({ classRef: classRef('small') }, chosen),
    want: ['spec.classSelector is none, but was size=small for the class'],
  },
  'classSelector added to a claim that got the default class': {
    claim: claim(dynamic, { annotations: choiceRecord(claim()) }),
    want: ['spec.classSelector is size=small, but was none for the class'],
  },
  'the external name, of which the resource has the one that it had then': {
    claim: claim(dynamic, calling('mine')),
    held: called('own', 'own'),
    want: [
      `the annotation crossplane.io/external-name is "mine", but FavouriteDBInstance ${name} has "own", which an administrator may edit there until it is made`,
    ],
  },
  'the external name, which the claim does not have': {
    claim: claim(dynamic),
    held: called('own', 'own'),
    want: [],
  },
  'the external name of the resource': {
    claim: claim(dynamic, calling('own')),
    held: called('theirs', 'own'),
    want: [],
  },
  'the external name of a resource that got one since': {
    claim: claim(dynamic, calling('mine')),
    held: called('assigned', undefined),
    want: [],
  },
  'the external name, where both have another by now': {
    claim: claim(dynamic, calling('same')),
    held: called('same', 'own'),
    want: [],
  },
  'a parameter, provisioned': {
    claim: claim(asked({ version: '2.4' }, dynamic)),
    held: provisioned(asked({ version: '2.3' }, dynamic)),
    want: [`spec.version is "2.4", but was "2.3" when the claim got FavouriteDBInstance ${name}`],
  },
  'a parameter, taken by name': {
    claim: claim(asked({ version: '2.4' }, statically)),
    held: taken(),
    want: ['spec.version is "2.4", but was nothing when the claim got FavouriteDBInstance db'],
  },
  'parameters, in the order of their names': {
    claim: claim(asked({ version: '2.4', sizes: { b: 1, a: [2] } }, statically)),
    held: taken(asked({ sizes: { a: [2, 3], b: 1 }, version: '2.3' }, statically)),
    want: [
      'spec.sizes is {"b":1,"a":[2]}, but was {"a":[2,3],"b":1} when the claim got FavouriteDBInstance db',
      'spec.version is "2.4", but was "2.3" when the claim got FavouriteDBInstance db',
    ],
  },
  'one parameter of two: nothing is said of the other': {
    claim: claim(asked({ version: '2.4', zone: 'a' }, statically)),
    held: taken(asked({ version: '2.3', zone: 'a' }, statically)),
    want: ['spec.version is "2.4", but was "2.3" when the claim got FavouriteDBInstance db'],
  },
  'parameters in another order are the same': {
    claim: claim(asked({ version: '2.3', sizes: { b: 1, a: { d: 1, c: 2 } } }, statically)),
    held: taken(asked({ sizes: { a: { c: 2, d: 1 }, b: 1 }, version: '2.3' }, statically)),
    want: [],
  },
  'the secret that a claim wants is none of them': {
    claim: claim({ ...statically, writeConnectionSecretToRef: { name: 'renamed' } }),
    held: taken(),
    want: [],
  },
  'a long parameter: only that something changed is known': {
    claim: claim(asked({ text: `${long}y` }, statically)),
    held: taken(asked({ text: long }, statically)),
    want: ['spec is not what it was when the claim got FavouriteDBInstance db'],
  },
  'a long parameter that stayed': {
    claim: claim(asked({ text: long }, statically)),
    held: taken(asked({ text: long }, statically)),
    want: [],
  },
  'a resource without a record tells nothing': {
    claim: claim(asked({ version: '2.4' }, statically)),
    held: managed({ claimRef: claimRef() }),
    want: [],
  },
};

describe('edits of a claim that have no effect', () => {
  for (const [what, { claim: subject, held, want }] of Object.entries(rows)) {
    test(what, () => assert.deepEqual(ineffectiveEdits(subject, held), want));
  }

  test('a value is shown in part', () => {
    const [told = ''] = ineffectiveEdits(
      claim(asked({ version: 'v'.repeat(500) }, statically)),
      taken(asked({ version: '1' }, statically)),
    );
    assert.ok(told.length < 200, told);
  });
});

describe('what is said of them', () => {
  const ready = binding('waiting');
  const told = describeEdits(['a', 'b']);

  test('nothing of none', () => {
    const facts = { conditions: [ready, reconcileSuccess()] };
    assert.deepEqual(withEdits(facts, []), facts);
  });
  test('Synced is False, Ready and the phase stay', () => {
    assert.deepEqual(
      withEdits({ conditions: [ready, reconcileSuccess()], bindingPhase: 'Unbound' }, ['a', 'b']),
      { conditions: [ready, reconcileError(told)], bindingPhase: 'Unbound' },
    );
  });
  test('beside another failure', () => {
    assert.deepEqual(withEdits({ conditions: [ready, reconcileError('no secret')] }, ['a', 'b']), {
      conditions: [ready, reconcileError(`no secret; ${told}`)],
    });
  });
});
