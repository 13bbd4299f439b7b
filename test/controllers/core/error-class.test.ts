import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CloudError } from '../../../clients/cloud-error.ts';
import { ExternalError } from '../../../clients/external-error.ts';
import { PostgresqlError } from '../../../clients/postgresql/error.ts';
import {
  conditionErrorOf,
  connectErrorClassOf,
  providerErrorClassOf,
} from '../../../controllers/core/error-class.ts';
import { ApiError, secretsRefused } from '../../../runtime/client/errors.ts';

const cloud = (status: number, code: string): CloudError =>
  new CloudError('boom', { status, code, isRetryable: true });
const wrapped = (cause: Error): Error => new Error('cannot create', { cause });
const ofServer = new ApiError('boom', { code: 503, reason: 'x' });

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
    'an answer of the API server': [wrapped(ofServer), undefined],
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
      ofServer,
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
  const cases: Readonly<
    Record<
      string,
      readonly [error: unknown, step: 'connect' | 'call' | undefined, wanted: object | undefined]
    >
  > = {
    'with the class of the error': [wrapped(cloud(429, 'x')), 'call', { class: 'Throttled' }],
    'with Unknown, where the client gave no class': [new Error('boom'), 'call', { class: 'Unknown' }],
    'with the fields to change': [
      version,
      'call',
      { class: 'Invalid', advice: ['ChangeFields'], fields: ['spec.forProvider.version'] },
    ],
    'with the owner of the name': [
      taken,
      'call',
      {
        class: 'Conflict',
        advice: ['ChooseExternalName', 'ObserveOnly'],
        holder: { by: 'AnotherResource', kind: 'box.example.org', name: 'ab' },
      },
    ],
    'of connecting': [new Error('it holds no JSON'), 'connect', { class: 'CredentialsUnreadable' }],
    'of a Secret that RBAC hides': [
      wrapped(hidden),
      'connect',
      { class: 'SecretsForbidden', namespace: 'infra' },
    ],
    'of Secrets that a flag excludes, in any step': [excluded, undefined, { class: 'SecretsExcluded' }],
    'of a request that the API server refuses': [policy, undefined, { class: 'RequestRefused' }],
    'but not of another step': [cloud(429, 'x'), undefined, undefined],
    'nor of the API server': [ofServer, 'call', undefined],
    'nor of a bug': [new TypeError('boom'), 'call', undefined],
  };
  for (const [name, [error, step, wanted]] of Object.entries(cases)) {
    test(name, () => assert.deepEqual(conditionErrorOf(error, step), wanted));
  }
});
