import assert from 'node:assert/strict';
import { test } from 'node:test';
import { externalErrorClasses } from '../../../clients/external-error.ts';
import { externalTrouble } from '../../../trace/model/external-trouble.ts';

test('the class of an error says which fault the trace shows', () => {
  const classes = [
    ...externalErrorClasses,
    ...['CredentialsUnreadable', 'ExternalMissing', 'OtherSystem', 'SecretsForbidden', 'SecretsExcluded'],
    ...['OfAnotherVersion', 'constructor'],
  ];
  const found = classes.map((name) => [name, externalTrouble({ class: name })]);
  assert.deepEqual(Object.fromEntries(found), {
    CredentialsRefused: 'wrong credentials',
    Forbidden: 'not allowed',
    Unreachable: 'provider down',
    Throttled: 'rate limited',
    QuotaExceeded: 'quota',
    Invalid: 'refused',
    Conflict: 'name taken',
    NotReady: 'refused',
    Unknown: 'refused',
    CredentialsUnreadable: 'wrong credentials',
    ExternalMissing: undefined,
    OtherSystem: undefined,
    SecretsForbidden: undefined,
    SecretsExcluded: undefined,
    OfAnotherVersion: 'refused',
    constructor: 'refused',
  });
  assert.equal(externalTrouble(undefined), undefined);
});
