import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { codeNamed, googleErrorIn, pathOf } from '../../../clients/gcp/google-api.ts';
import { operationFailure } from '../../../clients/gcp/operation.ts';

const account = 'robot@p.iam.gserviceaccount.com';

describe('the message of an error of Google', () => {
  const badRequest = (...fieldViolations: object[]) => ({
    '@type': 'type.googleapis.com/google.rpc.BadRequest',
    fieldViolations,
  });
  const cases: Record<string, { error: unknown; want: object }> = {
    'a code and a message': {
      error: { code: 404, status: 'NOT_FOUND', message: "Resource 'x' was not found" },
      want: { code: 'NOT_FOUND', message: "Resource 'x' was not found", fields: [] },
    },
    'a field, and what is wrong with it': {
      error: {
        code: 400,
        status: 'INVALID_ARGUMENT',
        message: 'Memory size is wrong.',
        details: [badRequest({ field: 'instance.memory_size_gb', description: 'Invalid value: 900' })],
      },
      want: {
        code: 'INVALID_ARGUMENT',
        message: 'Memory size is wrong; instance.memory_size_gb: Invalid value: 900',
        fields: ['instance.memory_size_gb'],
      },
    },
    'nothing twice': {
      error: {
        status: 'INVALID_ARGUMENT',
        message: 'Size is wrong.',
        details: [
          badRequest({ field: 'size', description: 'Size is wrong.' }),
          null,
          'odd',
          { fieldViolations: 5 },
        ],
      },
      want: { code: 'INVALID_ARGUMENT', message: 'Size is wrong', fields: ['size'] },
    },
    'a permission, and who lacks it': {
      error: {
        status: 'PERMISSION_DENIED',
        message: 'User not authorized to perform this action.',
        details: [{ reason: 'IAM_PERMISSION_DENIED', metadata: { permission: 'pubsub.topics.create' } }],
      },
      want: {
        code: 'PERMISSION_DENIED',
        message: `User not authorized to perform this action; pubsub.topics.create is needed, asked as ${account}`,
        fields: [],
      },
    },
    'a permission that the message names': {
      error: {
        status: 'PERMISSION_DENIED',
        message: "Permission 'redis.instances.get' denied",
        details: [{ metadata: { permission: 'redis.instances.get' } }],
      },
      want: {
        code: 'PERMISSION_DENIED',
        message: `Permission 'redis.instances.get' denied; asked as ${account}`,
        fields: [],
      },
    },
    'a project that there is not is no thing that there is not': {
      error: {
        status: 'NOT_FOUND',
        message: 'Requested project not found or user does not have access to it.',
      },
      want: {
        code: 'PROJECT_NOT_FOUND',
        message:
          'Requested project not found or user does not have access to it; check spec.projectID of the ProviderConfig',
        fields: [],
      },
    },
    nothing: { error: undefined, want: {} },
  };
  for (const [name, { error, want }] of Object.entries(cases)) {
    test(name, () => assert.deepEqual(googleErrorIn(account)({ error }), want));
  }
});

test('codes have their names', () => {
  assert.deepEqual(
    [codeNamed(8), codeNamed(16), codeNamed(undefined), codeNamed(99)],
    ['RESOURCE_EXHAUSTED', 'UNAUTHENTICATED', 'UNKNOWN', '99'],
  );
});

test('the error of an operation has the same form as that of a request', () => {
  const target = 'projects/p/locations/l/instances/i';
  const operation = { name: 'projects/p/locations/l/operations/o', done: true };
  assert.equal(operationFailure(operation, account), undefined);
  const failed = {
    ...operation,
    metadata: { verb: 'create', target },
    error: {
      code: 3,
      message: 'Range is taken.',
      details: [{ fieldViolations: [{ field: 'instance.reserved_ip_range', description: '' }] }],
    },
  };
  const failure = operationFailure(failed, account) ?? assert.fail('no failure');
  assert.deepEqual(
    { message: failure.message, code: failure.code, fields: failure.fields },
    {
      message: `Google Cloud could not create ${target} (INVALID_ARGUMENT): Range is taken`,
      code: 'INVALID_ARGUMENT',
      fields: ['instance.reserved_ip_range'],
    },
  );
});

describe('a path of names', () => {
  test('is encoded', () =>
    assert.equal(pathOf('projects', 'example.com:p', 'a/b'), '/v1/projects/example.com%3Ap/a%2Fb'));
  for (const bad of ['', '.', '..']) {
    test(`"${bad}" is no name`, () => assert.throws(() => pathOf('projects', bad), /can have the name/));
  }
});
