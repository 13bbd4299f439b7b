import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CloudError } from '../../clients/cloud-error.ts';
import { ExternalError } from '../../clients/external-error.ts';
import {
  conditionErrorOf,
  connectErrorClassOf,
  providerErrorClassOf,
} from '../../controllers/error-class.ts';
import { ApiError, secretsRefused } from '../../runtime/client/errors.ts';
import { PostgresqlError } from '../../stacks/postgresql/client/error.ts';

const cloud = (status: number, code: string): CloudError =>
  new CloudError('boom', { status, code, isRetryable: true });
const wrapped = (cause: Error): Error => new Error('cannot create', { cause });
const serverError = new ApiError('boom', { code: 503, reason: 'x' });

describe('a failed call reports its provider', () => {
  const cases: Readonly<Record<string, readonly [error: unknown, errorClass: string | undefined]>> = {
    'a token that is refused': [cloud(401, 'Http401'), 'CredentialsRefused'],
    'a password that PostgreSQL refuses': [
      new PostgresqlError('boom', { code: 'AuthenticationFailed' }),
      'CredentialsRefused',
    ],
    'no connection': [cloud(0, 'Unreachable'), 'Unreachable'],
    'no answer in time, however often it is wrapped': [wrapped(wrapped(cloud(0, 'TimedOut'))), 'Unreachable'],
    'a gateway without the system behind it': [cloud(502, 'Http502'), 'Unreachable'],
    "a class that a stack's author gives": [
      new ExternalError('boom', { errorClass: 'Unreachable' }),
      'Unreachable',
    ],
    'an error without a class': [Object.assign(new Error('boom'), { code: 'ECONNREFUSED' }), undefined],
    'a call that the credentials do not allow': [cloud(403, 'AccessDenied'), 'Forbidden'],
    'a limit': [cloud(429, 'Throttled'), 'Throttled'],
    'an error of the system': [cloud(500, 'Internal'), undefined],
    'a value that it refuses': [cloud(422, 'InvalidArgument'), undefined],
    'an answer of the API server': [wrapped(serverError), undefined],
    'a bug': [new TypeError('boom'), undefined],
    'no error': ['boom', undefined],
  };
  for (const [what, [error, errorClass]] of Object.entries(cases)) {
    test(`${what}: ${errorClass ?? 'nothing'}`, () => assert.equal(providerErrorClassOf(error), errorClass));
  }

  test("an error of connecting is about the credentials, unless it is the API server's or a bug", () => {
    const forbidden = new ApiError('not yours', { code: 403, reason: 'Forbidden' });
    const classes = [
      new Error('secret infra/cloud does not exist'),
      cloud(0, 'InvalidCredentials'),
      cloud(401, 'Http401'),
      wrapped(forbidden),
      serverError,
      new TypeError('boom'),
    ].map(connectErrorClassOf);
    assert.deepEqual(classes, [
      'CredentialsUnreadable',
      'CredentialsUnreadable',
      'CredentialsRefused',
      'CredentialsUnreadable',
      undefined,
      undefined,
    ]);
  });
});

describe('a condition has a failure as data', () => {
  const taken = new ExternalError('boom', {
    errorClass: 'Conflict',
    advice: { kinds: ['ChooseExternalName', 'ObserveOnly'] },
    holder: { by: 'AnotherResource', kind: 'box.example.org', name: 'ab' },
  });
  const version = new ExternalError('boom', {
    errorClass: 'Invalid',
    advice: { kinds: ['ChangeFields'], fields: ['spec.forProvider.version'] },
  });
  const policy = new ApiError('denied by a webhook', { code: 400, reason: 'Unknown' });
  const hidden = secretsRefused('not yours', { namespace: 'infra', isExcluded: false });
  const excluded = secretsRefused('left alone', { namespace: undefined, isExcluded: true });
  const has = (error: unknown, step: 'connect' | 'call' | undefined, want: object | undefined): void =>
    assert.deepEqual(conditionErrorOf(error, step), want);
  test('with the class of the error', () => has(wrapped(cloud(429, 'x')), 'call', { class: 'Throttled' }));
  test('with Unknown, where the client gave no class', () =>
    has(new Error('boom'), 'call', { class: 'Unknown' }));
  test('with the fields to change', () =>
    has(version, 'call', {
      class: 'Invalid',
      advice: ['ChangeFields'],
      fields: ['spec.forProvider.version'],
    }));
  test('with the owner of the name', () =>
    has(taken, 'call', {
      class: 'Conflict',
      advice: ['ChooseExternalName', 'ObserveOnly'],
      holder: { by: 'AnotherResource', kind: 'box.example.org', name: 'ab' },
    }));
  test('of connecting', () =>
    has(new Error('it holds no JSON'), 'connect', { class: 'CredentialsUnreadable' }));
  test('of a Secret that RBAC hides', () =>
    has(wrapped(hidden), 'connect', { class: 'SecretsForbidden', namespace: 'infra' }));
  test('of Secrets that a flag excludes, in any step', () =>
    has(excluded, undefined, { class: 'SecretsExcluded' }));
  test('of a request that the API server refuses', () => has(policy, undefined, { class: 'RequestRefused' }));
  test('a failure of another step is no data', () => has(cloud(429, 'x'), undefined, undefined));
  test('a failure of the API server is no data', () => has(serverError, 'call', undefined));
  test('a bug has a class, whatever the step', () => {
    for (const step of ['connect', 'call', undefined] as const)
      has(new TypeError('boom'), step, { class: 'StackBug' });
  });
});
