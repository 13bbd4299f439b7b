import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { codeNamed, googleErrorIn, pathOf } from '../../../../stacks/gcp/client/google-api.ts';
import { operationFailure } from '../../../../stacks/gcp/client/operation.ts';

const account = 'robot@p.iam.gserviceaccount.com';

describe('the message of an error of Google', () => {
  const violation = (field: string, description: string) => ({
    '@type': 'type.googleapis.com/google.rpc.BadRequest',
    fieldViolations: [{ field, description }],
  });
  const lacks = (permission: string) => ({ metadata: { permission } });
  const cases: Record<string, readonly [error: object, message: string, code?: string, fields?: string[]]> = {
    'a code and a message': [
      { code: 404, status: 'NOT_FOUND', message: "Resource 'x' was not found" },
      "Resource 'x' was not found",
    ],
    'a field, and what is wrong with it': [
      {
        code: 400,
        status: 'INVALID_ARGUMENT',
        message: 'Memory size is wrong.',
        details: [violation('instance.memory_size_gb', 'Invalid value: 900')],
      },
      'Memory size is wrong; instance.memory_size_gb: Invalid value: 900',
      'INVALID_ARGUMENT',
      ['instance.memory_size_gb'],
    ],
    'nothing twice': [
      {
        status: 'INVALID_ARGUMENT',
        message: 'Size is wrong.',
        details: [violation('size', 'Size is wrong.'), null, 'odd', { fieldViolations: 5 }],
      },
      'Size is wrong',
      'INVALID_ARGUMENT',
      ['size'],
    ],
    'a permission, and who lacks it': [
      {
        status: 'PERMISSION_DENIED',
        message: 'User not authorized to perform this action.',
        details: [{ reason: 'IAM_PERMISSION_DENIED', ...lacks('pubsub.topics.create') }],
      },
      `User not authorized to perform this action; pubsub.topics.create is needed, asked as ${account}`,
      'PERMISSION_DENIED',
    ],
    'a permission that the message names': [
      {
        status: 'PERMISSION_DENIED',
        message: "Permission 'redis.instances.get' denied",
        details: [lacks('redis.instances.get')],
      },
      `Permission 'redis.instances.get' denied; asked as ${account}`,
      'PERMISSION_DENIED',
    ],
    'a project that does not exist, or that the account may not use': [
      { status: 'PERMISSION_DENIED', message: 'Permission denied on resource project nowhere.' },
      `Permission denied on resource project nowhere; asked as ${account}; check spec.projectID of the ProviderConfig`,
      'PERMISSION_DENIED',
    ],
    'a project that there is not is no thing that there is not': [
      {
        status: 'NOT_FOUND',
        message: 'Requested project not found or user does not have access to it.',
      },
      'Requested project not found or user does not have access to it; check spec.projectID of the ProviderConfig',
      'PROJECT_NOT_FOUND',
    ],
  };
  for (const [name, [error, message, code = 'NOT_FOUND', fields = []]] of Object.entries(cases)) {
    test(name, () => {
      const { advice, ...words } = googleErrorIn(account)({ error });
      assert.deepEqual(words, { code, message, fields });
      const changesProvider = code === 'PROJECT_NOT_FOUND';
      const wanted = { kinds: ['ChangeProvider'], fields: ['spec.projectID'] };
      assert.deepEqual(advice, changesProvider ? wanted : undefined);
    });
  }
  test('nothing', () => assert.deepEqual(googleErrorIn(account)({ error: undefined }), {}));
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
  const message = `Google Cloud could not create ${target} (INVALID_ARGUMENT): Range is taken`;
  const wanted = [message, 'INVALID_ARGUMENT', ['instance.reserved_ip_range']];
  assert.deepEqual([failure.message, failure.code, failure.fields], wanted);
});

describe('a path of names', () => {
  test('is encoded', () =>
    assert.equal(pathOf('projects', 'example.com:p', 'a/b'), '/v1/projects/example.com%3Ap/a%2Fb'));
  for (const bad of ['', '.', '..']) {
    test(`"${bad}" is no name`, () => assert.throws(() => pathOf('projects', bad), /can have the name/));
  }
});
