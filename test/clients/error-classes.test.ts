import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import map from 'lodash/map.js';
import { CloudError, invalidAnswer } from '../../clients/cloud-error.ts';
import type { ExternalErrorClass } from '../../clients/external-error.ts';
import { classOfStatus, ExternalError, errorClassOf, errorFactsOf } from '../../clients/external-error.ts';
import type { HttpClientOptions } from '../../clients/http.ts';
import { httpClient } from '../../clients/http.ts';
import { awsError } from '../../stacks/aws/client/aws-error.ts';
import { NoAnswer } from '../../stacks/aws/client/sdk-request-handler.ts';
import { favouriteCloudClient } from '../../stacks/demo-clouds/client/favourite-cloud.ts';
import { googleApi } from '../../stacks/gcp/client/google-api.ts';
import { operationFailure } from '../../stacks/gcp/client/operation.ts';
import { PostgresqlError, toPostgresqlError } from '../../stacks/postgresql/client/error.ts';
import { testClock } from '../../testing/test-clock.ts';
import { answering } from './answering.ts';

/** Each code with the class that it has. */
const tableOf = <Code = string>(
  classes: Partial<Record<ExternalErrorClass, readonly Code[]>>,
): readonly (readonly [Code, ExternalErrorClass])[] =>
  Object.entries(classes).flatMap(([wanted, codes]) =>
    codes.map((code) => [code, wanted as ExternalErrorClass] as const),
  );
/** Of a text such as `403 Forbidden`. */
const statusAndCode = (text: string): [status: number, code: string] => {
  const [status, code = ''] = text.split(' ');
  return [Number(status), code];
};

/** Options of a client whose every request gets this answer, or fails with this error. */
const reported = (answer: { readonly status: number; readonly body?: object } | Error) =>
  ({
    url: 'http://cloud',
    token: 'token',
    clock: testClock(),
    random: () => 0,
    maxAttempts: 1,
    dispatcher:
      answer instanceof Error
        ? { request: () => Promise.reject(answer) }
        : answering(answer.status, answer.body === undefined ? '' : JSON.stringify(answer.body)),
  }) satisfies Omit<HttpClientOptions, 'cloud'>;
const request = { what: 'get it', method: 'GET', path: '/it' } as const;
const thrownBy = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => assert.fail('nothing was thrown'),
    (error: unknown) => error,
  );

describe('HTTP: the class is that of the status', () => {
  const table = tableOf<number>({
    Invalid: [400, 404, 422],
    CredentialsRefused: [401],
    QuotaExceeded: [402, 507],
    Forbidden: [403],
    Unreachable: [408, 502, 503, 504],
    Conflict: [409, 412],
    NotReady: [423, 425],
    Throttled: [429],
    Unknown: [500, 501],
  });
  for (const [status, wanted] of table) {
    test(`${status}: ${wanted}`, async () => {
      const http = httpClient({ ...reported({ status }), cloud: 'Cloud' });
      assert.equal(errorClassOf(await thrownBy(http.request(request))), wanted);
      assert.equal(classOfStatus(status), wanted);
    });
  }

  test('a code that its author has classified goes before the status', async () => {
    const options = reported({ status: 409, body: { error: { code: 'AccountFull' } } });
    const http = httpClient({ ...options, cloud: 'Cloud', errorClasses: { AccountFull: 'QuotaExceeded' } });
    assert.equal(errorClassOf(await thrownBy(http.request(request))), 'QuotaExceeded');
  });
});

describe('HTTP: without an answer the class is that of the code of the connection', () => {
  const table = tableOf({
    Unreachable: ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ECONNRESET', 'UND_ERR_CONNECT_TIMEOUT'],
    TlsFailed: ['CERT_HAS_EXPIRED', 'ERR_SSL_WRONG_VERSION_NUMBER', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
  });
  for (const [code, wanted] of table) {
    test(`${code}: ${wanted}`, async () => {
      const http = httpClient({ ...reported(Object.assign(new Error('no'), { code })), cloud: 'Cloud' });
      assert.equal(errorClassOf(await thrownBy(http.request(request))), wanted);
    });
  }

  test('an answer that makes no sense has the class Unknown', () =>
    assert.equal(invalidAnswer('no').errorClass, 'Unknown'));

  const ours = tableOf({
    CredentialsRefused: ['NoToken', 'NoCredentials'],
    Invalid: ['InvalidCredentials', 'InvalidName'],
    Unreachable: ['TimedOut'],
    Unknown: ['Halted'],
  });
  for (const [code, wanted] of ours) {
    test(`${code}: ${wanted}`, () =>
      assert.equal(new CloudError('no', { status: 0, code, isRetryable: false }).errorClass, wanted));
  }
});

describe('Favourite Cloud: a 409 is a conflict, unless its code says more', () => {
  const table = tableOf({
    Conflict: ['AlreadyExists'],
    QuotaExceeded: ['InstanceQuotaExceeded'],
    NotReady: ['InUse', 'NotReady'],
  });
  for (const [code, wanted] of table) {
    test(`${code}: ${wanted}`, async () => {
      const cloud = favouriteCloudClient(reported({ status: 409, body: { error: { code, message: 'no' } } }));
      assert.equal(errorClassOf(await thrownBy(cloud.instances.get('a'))), wanted);
    });
  }
});

describe('Google Cloud: the class is that of the code', () => {
  const table = tableOf({
    Invalid: ['400 INVALID_ARGUMENT', '400 OUT_OF_RANGE', '404 NOT_FOUND'],
    NotReady: ['400 FAILED_PRECONDITION', '409 ABORTED'],
    CredentialsRefused: ['401 UNAUTHENTICATED'],
    Forbidden: ['403 PERMISSION_DENIED'],
    Conflict: ['409 ALREADY_EXISTS'],
    Throttled: ['429 RESOURCE_EXHAUSTED'],
    Unknown: ['500 INTERNAL'],
    Unreachable: ['503 UNAVAILABLE', '504 DEADLINE_EXCEEDED'],
  });
  const refused = (status: number, code: string, message: string) => {
    const http = googleApi({
      ...reported({ status, body: { error: { code: status, status: code, message } } }),
      account: 'robot',
    });
    return thrownBy(http.request(request));
  };
  for (const [text, wanted] of table) {
    test(`${text}: ${wanted}`, async () =>
      assert.equal(errorClassOf(await refused(...statusAndCode(text), 'no')), wanted));
  }

  test('a region that does not exist is invalid, although Google answers as to a missing permission', async () => {
    const message = "Permission denied on 'locations/mars1' (or it may not exist)";
    const error = await refused(403, 'PERMISSION_DENIED', message);
    assert.ok(error instanceof CloudError);
    assert.deepEqual([error.errorClass, error.fields], ['Invalid', ['region']]);
  });

  const failures = tableOf<number>({
    Invalid: [3],
    Forbidden: [7],
    QuotaExceeded: [8],
    NotReady: [9],
    Unknown: [13],
    Unreachable: [14],
  });
  for (const [code, wanted] of failures) {
    test(`an operation that failed with ${code}: ${wanted}`, () => {
      const failure = operationFailure({ name: 'o', done: true, error: { code, message: 'no' } }, 'robot');
      assert.equal(failure?.errorClass, wanted);
    });
  }
});

describe('AWS: the class is that of the code, else of the status', () => {
  const context = { service: 'ec2', region: 'us-east-1', what: 'get it', secrets: [], nowMs: 0 };
  const refused = (status: number, code: string, more: object = {}) =>
    awsError(
      { name: code, message: 'no', $fault: 'client', $metadata: { httpStatusCode: status } },
      { ...context, ...more },
    );
  const table = tableOf({
    CredentialsRefused: [
      '401 AuthFailure',
      '403 InvalidClientTokenId',
      '403 SignatureDoesNotMatch',
      '403 ExpiredTokenException',
      '400 RequestExpired',
    ],
    Forbidden: ['403 UnauthorizedOperation', '400 AccessDeniedException'],
    QuotaExceeded: [
      '400 VpcLimitExceeded',
      '400 InstanceQuotaExceeded',
      '400 InsufficientDBInstanceCapacity',
      '400 DBSubnetQuotaExceededFault',
      '400 ResourceLimitExceededException',
      '400 InsufficientFreeAddressesInSubnet',
    ],
    Conflict: [
      '400 DBInstanceAlreadyExists',
      '400 InvalidSubnet.Conflict',
      '400 InvalidIPAddress.InUse',
      '400 QueueAlreadyExists',
      '409 ResourceInUseException',
    ],
    NotReady: [
      '400 DependencyViolation',
      '400 InvalidDBInstanceState',
      '400 AWS.SimpleQueueService.QueueDeletedRecently',
    ],
    Invalid: ['400 InvalidParameterValue', '404 DBSubnetGroupNotFoundFault'],
    Unknown: ['500 InternalError'],
    Unreachable: ['503 ServiceUnavailable'],
  });
  for (const [text, wanted] of table) {
    test(`${text}: ${wanted}`, () => assert.equal(refused(...statusAndCode(text)).errorClass, wanted));
  }

  test('a rate limit is Throttled and no quota, whatever the status', () => {
    const failure = { type: 'THROTTLING', retryAfter: undefined };
    const errors = [
      refused(503, 'RequestLimitExceeded', { failure }),
      refused(400, 'Throttling', { failure }),
    ];
    assert.deepEqual(map(errors, 'errorClass'), ['Throttled', 'Throttled']);
  });

  test('without an answer: Unreachable', () => {
    const cause = Object.assign(new Error('no'), { code: 'ECONNREFUSED' });
    const errors = [new NoAnswer({ timeoutMs: 10 }), new NoAnswer({ cause })];
    const classes = errors.map((error) => awsError(error, context).errorClass);
    assert.deepEqual(classes, ['Unreachable', 'Unreachable']);
  });

  test('a region that the account does not have is invalid: the credentials work in another region', () => {
    const error = refused(401, 'AuthFailure', { areTakenElsewhere: true });
    assert.deepEqual(
      [error.errorClass, error.advice],
      ['Invalid', { kinds: ['ChangeFields'], fields: ['spec.forProvider.region'] }],
    );
  });

  test('the field of a refusal is data, that of the provider too', () => {
    const fields = { region: /region/i };
    const advices = [undefined, 'eu-west-1'].map(
      (signingRegion) => refused(400, 'InvalidRegion', { fields, signingRegion }).advice,
    );
    assert.deepEqual(advices, [
      { kinds: ['ChangeFields'], fields: ['spec.forProvider.region'] },
      { kinds: ['ChangeProvider'], fields: ['spec.endpoint.signingRegion'] },
    ]);
  });
});

describe('PostgreSQL: the class is that of the SQLSTATE', () => {
  const context = { server: 'db:5432', username: 'admin', secrets: [] };
  const thrown = (code: string) => Object.assign(new Error('no'), { code });
  const table = tableOf({
    Unreachable: ['08006', '57P03', 'ECONNREFUSED', 'ETIMEDOUT'],
    TlsFailed: ['DEPTH_ZERO_SELF_SIGNED_CERT', 'CERT_HAS_EXPIRED'],
    LoginRefused: ['28000'],
    Exhausted: ['53000', '53100', '53200', '53300', '53400'],
    ReadOnly: ['25006'],
    Invalid: ['0A000', '0LP01', '22023', '42601', '54000'],
    Conflict: ['23505', '42710', '42P04'],
    NotReady: ['2BP01', '3D000', '40P01', '42704', '55006', '55P03', '57014'],
    CredentialsRefused: ['28P01'],
    Forbidden: ['42501'],
    Unknown: ['08P01', '58030', 'XX000'],
  });
  for (const [code, wanted] of table) {
    test(`${code}: ${wanted}`, () =>
      assert.equal(toPostgresqlError(thrown(code), context).errorClass, wanted));
  }

  test('a password that a policy of the server refuses is invalid, whatever its code', () => {
    const classes = ['22023', '28000', '28P01'].map((code) => {
      const { errorClass, sqlState } = toPostgresqlError(thrown(code), { ...context, isLoggedIn: true });
      return [errorClass, sqlState];
    });
    assert.deepEqual(classes, [
      ['Invalid', undefined],
      ['Invalid', '28000'],
      ['Invalid', '28P01'],
    ]);
  });

  const ours = tableOf({
    NotReady: ['InUse', 'NotFound', 'StandbyMissing'],
    Invalid: ['Invalid'],
    Conflict: ['NotOurs'],
    Unknown: ['Closed', 'Halted'],
  });
  for (const [code, wanted] of ours) {
    test(`${code}: ${wanted}`, () => assert.equal(new PostgresqlError('no', { code }).errorClass, wanted));
  }
});

describe('an error of an author', () => {
  test('has the class that its author gave it, however often it is wrapped', () => {
    const error = new ExternalError('no', { errorClass: 'Throttled', advice: { kinds: ['ObserveOnly'] } });
    assert.deepEqual(errorFactsOf(new Error('cannot get it', { cause: error })), {
      errorClass: 'Throttled',
      advice: { kinds: ['ObserveOnly'] },
    });
  });

  test('without a class is Unknown', () => {
    const odd = Object.assign(new Error('no'), { errorClass: 'Odd' });
    const classes = [new Error('no'), odd, 'no', undefined].map(errorClassOf);
    assert.deepEqual(new Set(classes), new Set(['Unknown']));
  });
});
