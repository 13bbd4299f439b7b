import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startAws } from '../../../stacks/aws/emulator/server.ts';
import { startGoogleCloud } from '../../../stacks/gcp/emulator/server.ts';

async function reported(url: string, body: unknown): Promise<string> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(url, { method: 'POST', body: text });
  const { message } = (await response.json()) as { readonly message?: string };
  return `${response.status} ${message ?? ''}`.trim();
}

/** The path is that of faults, unless it is named. */
type Cases = Readonly<Record<string, readonly [body: unknown, reported: string, path?: string]>>;

const commonCases: Cases = {
  'no JSON': ['{"kind"', '400 the body is no JSON'],
  'no object': [['fail'], '400 a fault: is no object of kind, times, status, retryAfter, '],
  'no kind': [{}, '400 kind: is missing'],
  'an unknown kind': [
    { kind: 'bogus' },
    '400 kind: "bogus" is none of fail, gateway, loseResponse, stall, hang, cut',
  ],
  'an unknown field': [{ kind: 'fail', toString: 1 }, '400 "toString" is none of the fields kind, '],
  'no times': [{ kind: 'fail', times: 0 }, '400 times: 0 is no whole number of at least 1'],
  'a text for a number': [
    { kind: 'fail', status: '503' },
    '400 status: "503" is no whole number from 400 to 599',
  ],
  'a fault that is fine': [{ kind: 'fail', times: 2, status: 503, retryAfter: 0 }, '200'],
};

const awsCases: Cases = {
  ...commonCases,
  'an unknown action': [{ kind: 'fail', action: 'ec2:NoSuch' }, '400 action: "ec2:NoSuch" is none of sts:*'],
  'all actions of a service': [{ kind: 'fail', action: 'ec2:*', code: 'Oops', message: 'no' }, '200'],
};

const template = '/v1/projects/{project}/topics/{topic}';
const operations = '/_operation-faults';
const googleCloudCases: Cases = {
  ...commonCases,
  'an unknown path': [{ kind: 'fail', path: '/v1/x' }, '400 path: "/v1/x" is none of /token, '],
  'an unknown method': [{ kind: 'fail', method: 'get' }, '400 method: "get" is none of POST, '],
  'a method and a path': [{ kind: 'fail', method: 'GET', path: template }, '200'],
  'an unknown operation': [
    { verb: 'make' },
    '400 verb: "make" is none of create, update, upgrade, delete',
    operations,
  ],
  'an error without its code': [{ error: { message: 'no' } }, '400 code: is missing', operations],
  'an operation and its error': [
    { verb: 'create', error: { code: 8, message: 'none left' } },
    '200',
    operations,
  ],
  'a name that is no text': [{ name: 5 }, '400 name: 5 is no text', '/_keys'],
  'a name that no account has': [{ name: 'X' }, '400 name: "X" is no name of a service account', '/_keys'],
  'a role that there is not': [{ roles: ['roles/god'] }, '400 roles[0]: "roles/god" is none of ', '/_keys'],
  'roles that are no list': [{ roles: 'roles/viewer' }, '400 roles: "roles/viewer" is no list', '/_keys'],
};

for (const [name, start, cases] of [
  ['AWS', startAws, awsCases],
  ['Google Cloud', startGoogleCloud, googleCloudCases],
] as const) {
  describe(`${name} checks control requests:`, () => {
    for (const [what, [body, answer, path = '/_faults']] of Object.entries(cases)) {
      test(what, async () => {
        await using cloud = await start();
        const reply = await reported(`${cloud.url}${path}`, body);
        assert.equal(reply.slice(0, answer.length), answer);
      });
    }
  });
}
