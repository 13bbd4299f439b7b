import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CloudError } from '../../../../clients/cloud-error.ts';
import { PostgresqlError } from '../../../../clients/postgresql/error.ts';
import { faultOf, faultOfConnecting, wordsOf } from '../../../../controllers/core/provider/fault.ts';
import { ApiError } from '../../../../runtime/client/errors.ts';

const cloud = (status: number, code: string): CloudError =>
  new CloudError('boom', { status, code, isRetryable: true });
const wrapped = (cause: Error): Error => new Error('cannot create', { cause });

const cases: Readonly<Record<string, readonly [error: unknown, fault: string | undefined]>> = {
  'a token that is refused': [cloud(401, 'Http401'), 'refused'],
  "AWS's word for a key that there is not": [cloud(403, 'InvalidClientTokenId'), 'refused'],
  'a password that PostgreSQL refuses': [
    new PostgresqlError('boom', { code: 'AuthenticationFailed' }),
    'refused',
  ],
  'a secret that holds no credentials': [cloud(0, 'InvalidCredentials'), 'unreadable'],
  'no connection': [cloud(0, 'Unreachable'), 'silent'],
  'no answer in time, however often it is wrapped': [wrapped(wrapped(cloud(0, 'TimedOut'))), 'silent'],
  'a gateway without anybody behind it': [cloud(502, 'Http502'), 'silent'],
  "an error of an author's own": [Object.assign(new Error('boom'), { code: 'ECONNREFUSED' }), 'silent'],
  'what the credentials do not allow': [cloud(403, 'AccessDenied'), undefined],
  'a limit': [cloud(429, 'Throttled'), undefined],
  'an error of the system': [cloud(500, 'Internal'), undefined],
  'what makes no sense to it': [cloud(422, 'InvalidArgument'), undefined],
  'an answer of the API server': [wrapped(new ApiError('boom', { code: 503, reason: 'x' })), undefined],
  'a bug': [new TypeError('boom'), undefined],
  'no error': ['boom', undefined],
};
for (const [what, [error, fault]] of Object.entries(cases)) {
  test(`${what} tells ${fault ?? 'nothing'} of the provider`, () => assert.equal(faultOf(error), fault));
}

test('who cannot connect cannot use the credentials, but for the API server and bugs', () => {
  assert.equal(faultOfConnecting(new Error('secret infra/cloud does not exist')), 'unreadable');
  assert.equal(faultOfConnecting(cloud(401, 'Http401')), 'refused');
  assert.equal(faultOfConnecting(new ApiError('boom', { code: 503, reason: 'x' })), undefined);
  assert.equal(faultOfConnecting(new TypeError('boom')), undefined);
  const forbidden = new ApiError('not yours', { code: 403, reason: 'Forbidden' });
  assert.equal(faultOfConnecting(new Error('cannot get secret', { cause: forbidden })), 'unreadable');
});

test('what is said of a provider is not about one thing in it', () => {
  const why = 'Cloud (http://cloud:80) refused the token (401)';
  assert.equal(wordsOf(new Error(`cannot get instance "a: b": ${why}`)), why);
  assert.equal(wordsOf(new Error(`cannot list instances: ${why}`)), why);
  assert.equal(wordsOf(new Error(why)), why);
});
