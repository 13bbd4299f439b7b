import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { awsError } from '../../clients/aws/aws-error.ts';
import { NoAnswer } from '../../clients/aws/sdk-request-handler.ts';
import { CloudError, invalidAnswer } from '../../clients/cloud-error.ts';
import type { ExternalErrorClass } from '../../clients/external-error.ts';
import { classOfStatus, ExternalError, errorClassOf, errorFactsOf } from '../../clients/external-error.ts';
import { favouriteCloudClient } from '../../clients/favourite-cloud.ts';
import { googleApi } from '../../clients/gcp/google-api.ts';
import { operationFailure } from '../../clients/gcp/operation.ts';
import type { HttpClientOptions } from '../../clients/http.ts';
import { httpClient } from '../../clients/http.ts';
import { PostgresqlError, toPostgresqlError } from '../../clients/postgresql/error.ts';
import { testClock } from '../../testing/test-clock.ts';
import { answering } from './answering.ts';

type Table<Key extends string | number = string> = readonly (readonly [Key, ExternalErrorClass])[];

/** Options of a client whose every request gets this answer, or fails with this error. */
const reported = (answer: { readonly status: number; readonly body?: object } | Error) =>
  ({
    ...{ url: 'http://cloud', token: 'token', clock: testClock(), random: () => 0, maxAttempts: 1 },
    dispatcher:
      answer instanceof Error
        ? { request: () => Promise.reject(answer) }
        : answering(answer.status, answer.body === undefined ? '' : JSON.stringify(answer.body)),
  }) satisfies Omit<HttpClientOptions, 'cloud'>;
const asked = { what: 'get it', method: 'GET', path: '/it' } as const;
const thrownBy = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => assert.fail('nothing was thrown'),
    (error: unknown) => error,
  );

describe('HTTP: the class is that of the status', () => {
  const table: Table<number> = [
    [400, 'Invalid'],
    [401, 'CredentialsRefused'],
    [402, 'QuotaExceeded'],
    [403, 'Forbidden'],
    [404, 'Invalid'],
    [408, 'Unreachable'],
    [409, 'Conflict'],
    [412, 'Conflict'],
    [422, 'Invalid'],
    [423, 'NotReady'],
    [425, 'NotReady'],
    [429, 'Throttled'],
    [500, 'Unknown'],
    [501, 'Unknown'],
    [502, 'Unreachable'],
    [503, 'Unreachable'],
    [504, 'Unreachable'],
    [507, 'QuotaExceeded'],
  ];
  for (const [status, wanted] of table) {
    test(`${status}: ${wanted}`, async () => {
      const http = httpClient({ ...reported({ status }), cloud: 'Cloud' });
      assert.equal(errorClassOf(await thrownBy(http.request(asked))), wanted);
      assert.equal(classOfStatus(status), wanted);
    });
  }

  test('a code that its author has classified goes before the status', async () => {
    const options = reported({ status: 409, body: { error: { code: 'AccountFull' } } });
    const http = httpClient({ ...options, cloud: 'Cloud', errorClasses: { AccountFull: 'QuotaExceeded' } });
    assert.equal(errorClassOf(await thrownBy(http.request(asked))), 'QuotaExceeded');
  });
});

describe('HTTP: without an answer the class is that of the code of the connection', () => {
  const table: Table = [
    ['ECONNREFUSED', 'Unreachable'],
    ['ENOTFOUND', 'Unreachable'],
    ['EAI_AGAIN', 'Unreachable'],
    ['ECONNRESET', 'Unreachable'],
    ['UND_ERR_CONNECT_TIMEOUT', 'Unreachable'],
    ['CERT_HAS_EXPIRED', 'Unreachable'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'Unreachable'],
  ];
  for (const [code, wanted] of table) {
    test(`${code}: ${wanted}`, async () => {
      const http = httpClient({
        ...reported(Object.assign(new Error('no'), { code })),
        cloud: 'Cloud',
      });
      assert.equal(errorClassOf(await thrownBy(http.request(asked))), wanted);
    });
  }

  test('an answer that makes no sense has the class Unknown', () =>
    assert.equal(invalidAnswer('no').errorClass, 'Unknown'));

  const ours: Table = [
    ['NoToken', 'CredentialsRefused'],
    ['NoCredentials', 'CredentialsRefused'],
    ['InvalidCredentials', 'Invalid'],
    ['InvalidName', 'Invalid'],
    ['TimedOut', 'Unreachable'],
    ['Halted', 'Unknown'],
  ];
  for (const [code, wanted] of ours) {
    test(`${code}: ${wanted}`, () =>
      assert.equal(new CloudError('no', { status: 0, code, isRetryable: false }).errorClass, wanted));
  }
});

describe('Favourite Cloud: a 409 is a conflict, unless its code says more', () => {
  const table: Table = [
    ['AlreadyExists', 'Conflict'],
    ['InstanceQuotaExceeded', 'QuotaExceeded'],
    ['InUse', 'NotReady'],
    ['NotReady', 'NotReady'],
  ];
  for (const [code, wanted] of table) {
    test(`${code}: ${wanted}`, async () => {
      const cloud = favouriteCloudClient(reported({ status: 409, body: { error: { code, message: 'no' } } }));
      assert.equal(errorClassOf(await thrownBy(cloud.instances.get('a'))), wanted);
    });
  }
});

describe('Google Cloud: the class is that of the code', () => {
  const table: readonly (readonly [status: number, code: string, wanted: ExternalErrorClass])[] = [
    [400, 'INVALID_ARGUMENT', 'Invalid'],
    [400, 'FAILED_PRECONDITION', 'NotReady'],
    [400, 'OUT_OF_RANGE', 'Invalid'],
    [401, 'UNAUTHENTICATED', 'CredentialsRefused'],
    [403, 'PERMISSION_DENIED', 'Forbidden'],
    [404, 'NOT_FOUND', 'Invalid'],
    [409, 'ALREADY_EXISTS', 'Conflict'],
    [409, 'ABORTED', 'NotReady'],
    [429, 'RESOURCE_EXHAUSTED', 'Throttled'],
    [500, 'INTERNAL', 'Unknown'],
    [503, 'UNAVAILABLE', 'Unreachable'],
    [504, 'DEADLINE_EXCEEDED', 'Unreachable'],
  ];
  const refused = (status: number, code: string, message: string) => {
    const http = googleApi({
      ...reported({ status, body: { error: { code: status, status: code, message } } }),
      account: 'robot',
    });
    return thrownBy(http.request(asked));
  };
  for (const [status, code, wanted] of table) {
    test(`${status} ${code}: ${wanted}`, async () =>
      assert.equal(errorClassOf(await refused(status, code, 'no')), wanted));
  }

  test('a region that does not exist is invalid, although Google answers as to a missing permission', async () => {
    const message = "Permission denied on 'locations/mars1' (or it may not exist)";
    const error = await refused(403, 'PERMISSION_DENIED', message);
    assert.ok(error instanceof CloudError);
    assert.deepEqual([error.errorClass, error.fields], ['Invalid', ['region']]);
  });

  const failures: readonly (readonly [code: number, wanted: ExternalErrorClass])[] = [
    [3, 'Invalid'],
    [7, 'Forbidden'],
    [8, 'QuotaExceeded'],
    [9, 'NotReady'],
    [13, 'Unknown'],
    [14, 'Unreachable'],
  ];
  for (const [code, wanted] of failures) {
    test(`an operation that failed with ${code}: ${wanted}`, () => {
      const failure = operationFailure({ name: 'o', done: true, error: { code, message: 'no' } }, 'robot');
      assert.equal(failure?.errorClass, wanted);
    });
  }
});

describe('AWS: the class is that of the code, else of the status', () => {
  const context = { service: 'ec2', region: 'us-east-1', what: 'get it', secrets: [], nowMs: 0 };
  const refused = (code: string, status: number, more: object = {}) =>
    awsError(
      { name: code, message: 'no', $fault: 'client', $metadata: { httpStatusCode: status } },
      { ...context, ...more },
    );
  const table: readonly (readonly [status: number, code: string, wanted: ExternalErrorClass])[] = [
    [401, 'AuthFailure', 'CredentialsRefused'],
    [403, 'InvalidClientTokenId', 'CredentialsRefused'],
    [403, 'SignatureDoesNotMatch', 'CredentialsRefused'],
    [403, 'ExpiredTokenException', 'CredentialsRefused'],
    [403, 'UnauthorizedOperation', 'Forbidden'],
    [400, 'AccessDeniedException', 'Forbidden'],
    [400, 'VpcLimitExceeded', 'QuotaExceeded'],
    [400, 'InstanceQuotaExceeded', 'QuotaExceeded'],
    [400, 'InsufficientDBInstanceCapacity', 'QuotaExceeded'],
    [400, 'DBSubnetQuotaExceededFault', 'QuotaExceeded'],
    [400, 'ResourceLimitExceededException', 'QuotaExceeded'],
    [400, 'InsufficientFreeAddressesInSubnet', 'QuotaExceeded'],
    [400, 'DBInstanceAlreadyExists', 'Conflict'],
    [400, 'InvalidSubnet.Conflict', 'Conflict'],
    [400, 'InvalidIPAddress.InUse', 'Conflict'],
    [400, 'QueueAlreadyExists', 'Conflict'],
    [409, 'ResourceInUseException', 'Conflict'],
    [400, 'DependencyViolation', 'NotReady'],
    [400, 'InvalidDBInstanceState', 'NotReady'],
    [400, 'AWS.SimpleQueueService.QueueDeletedRecently', 'NotReady'],
    [400, 'InvalidParameterValue', 'Invalid'],
    [404, 'DBSubnetGroupNotFoundFault', 'Invalid'],
    [500, 'InternalError', 'Unknown'],
    [503, 'ServiceUnavailable', 'Unreachable'],
  ];
  for (const [status, code, wanted] of table) {
    test(`${status} ${code}: ${wanted}`, () => assert.equal(refused(code, status).errorClass, wanted));
  }

  test('a rate limit is Throttled and no quota, whatever the status', () => {
    const failure = { type: 'THROTTLING', retryAfter: undefined };
    const errors = [
      refused('RequestLimitExceeded', 503, { failure }),
      refused('Throttling', 400, { failure }),
    ];
    assert.deepEqual(
      errors.map(({ errorClass }) => errorClass),
      ['Throttled', 'Throttled'],
    );
  });

  test('without an answer: Unreachable', () => {
    const cause = Object.assign(new Error('no'), { code: 'ECONNREFUSED' });
    const errors = [new NoAnswer({ timeoutMs: 10 }), new NoAnswer({ cause })];
    const classes = errors.map((error) => awsError(error, context).errorClass);
    assert.deepEqual(classes, ['Unreachable', 'Unreachable']);
  });

  test('a region that the account does not have is invalid: the credentials work in another region', () => {
    const error = refused('AuthFailure', 401, { areTakenElsewhere: true });
    assert.deepEqual(
      [error.errorClass, error.advice],
      ['Invalid', { kinds: ['ChangeFields'], fields: ['spec.forProvider.region'] }],
    );
  });

  test('the field of a refusal is data, that of the provider too', () => {
    const fields = { region: /region/i };
    const advices = [undefined, 'eu-west-1'].map(
      (signingRegion) => refused('InvalidRegion', 400, { fields, signingRegion }).advice,
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
  const table: Table = [
    ['08006', 'Unreachable'],
    ['0A000', 'Invalid'],
    ['0LP01', 'Invalid'],
    ['22023', 'Invalid'],
    ['23505', 'Conflict'],
    ['25006', 'NotReady'],
    ['28000', 'CredentialsRefused'],
    ['28P01', 'CredentialsRefused'],
    ['2BP01', 'NotReady'],
    ['3D000', 'NotReady'],
    ['40P01', 'NotReady'],
    ['42501', 'Forbidden'],
    ['42601', 'Invalid'],
    ['42704', 'NotReady'],
    ['42710', 'Conflict'],
    ['42P04', 'Conflict'],
    ['53100', 'QuotaExceeded'],
    ['53300', 'QuotaExceeded'],
    ['54000', 'Invalid'],
    ['55006', 'NotReady'],
    ['55P03', 'NotReady'],
    ['57014', 'NotReady'],
    ['57P03', 'Unreachable'],
    ['58030', 'Unknown'],
    ['XX000', 'Unknown'],
    ['ECONNREFUSED', 'Unreachable'],
    ['ETIMEDOUT', 'Unreachable'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'Unreachable'],
  ];
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

  const ours: Table = [
    ['InUse', 'NotReady'],
    ['Invalid', 'Invalid'],
    ['NotFound', 'NotReady'],
    ['NotOurs', 'Conflict'],
    ['Closed', 'Unknown'],
    ['Halted', 'Unknown'],
  ];
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
    assert.deepEqual([new Error('no'), odd, 'no', undefined].map(errorClassOf), [
      'Unknown',
      'Unknown',
      'Unknown',
      'Unknown',
    ]);
  });
});
