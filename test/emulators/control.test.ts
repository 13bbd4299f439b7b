import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startAws } from '../../emulators/aws/server.ts';
import { startGoogleCloud } from '../../emulators/gcp/server.ts';

async function reported(url: string, body: unknown): Promise<string> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(url, { method: 'POST', body: text });
  const { message } = (await response.json()) as { readonly message?: string };
  return `${response.status} ${message ?? ''}`.trim();
}

type Cases = Readonly<Record<string, readonly [path: string, body: unknown, reported: string]>>;

const ofAll: Cases = {
  'no JSON': ['/_faults', '{"kind"', '400 the body is no JSON'],
  'no object': ['/_faults', ['fail'], '400 a fault: is no object of kind, times, status, retryAfter, '],
  'no kind': ['/_faults', {}, '400 kind: is missing'],
  'an unknown kind': [
    '/_faults',
    { kind: 'bogus' },
    '400 kind: "bogus" is none of fail, gateway, loseResponse, stall, hang, cut',
  ],
  'an unknown field': [
    '/_faults',
    { kind: 'fail', toString: 1 },
    '400 "toString" is none of the fields kind, ',
  ],
  'no times': ['/_faults', { kind: 'fail', times: 0 }, '400 times: 0 is no whole number of at least 1'],
  'a text for a number': [
    '/_faults',
    { kind: 'fail', status: '503' },
    '400 status: "503" is no whole number from 400 to 599',
  ],
  'a fault that is fine': ['/_faults', { kind: 'fail', times: 2, status: 503, retryAfter: 0 }, '200'],
};

const ofAws: Cases = {
  ...ofAll,
  'an unknown action': [
    '/_faults',
    { kind: 'fail', action: 'ec2:NoSuch' },
    '400 action: "ec2:NoSuch" is none of sts:*',
  ],
  'all actions of a service': [
    '/_faults',
    { kind: 'fail', action: 'ec2:*', code: 'Oops', message: 'no' },
    '200',
  ],
};

const template = '/v1/projects/{project}/topics/{topic}';
const ofGoogleCloud: Cases = {
  ...ofAll,
  'an unknown path': ['/_faults', { kind: 'fail', path: '/v1/x' }, '400 path: "/v1/x" is none of /token, '],
  'an unknown method': ['/_faults', { kind: 'fail', method: 'get' }, '400 method: "get" is none of POST, '],
  'a method and a path': ['/_faults', { kind: 'fail', method: 'GET', path: template }, '200'],
  'an unknown operation': [
    '/_operation-faults',
    { verb: 'make' },
    '400 verb: "make" is none of create, update, upgrade, delete',
  ],
  'an error without its code': ['/_operation-faults', { error: { message: 'no' } }, '400 code: is missing'],
  'an operation and its error': [
    '/_operation-faults',
    { verb: 'create', error: { code: 8, message: 'none left' } },
    '200',
  ],
  'a name that is no text': ['/_keys', { name: 5 }, '400 name: 5 is no text'],
  'a name that no account has': ['/_keys', { name: 'X' }, '400 name: "X" is no name of a service account'],
  'a role that there is not': ['/_keys', { roles: ['roles/god'] }, '400 roles[0]: "roles/god" is none of '],
  'roles that are no list': ['/_keys', { roles: 'roles/viewer' }, '400 roles: "roles/viewer" is no list'],
};

for (const [name, start, cases] of [
  ['AWS', startAws, ofAws],
  ['Google Cloud', startGoogleCloud, ofGoogleCloud],
] as const) {
  describe(`${name} checks control requests:`, () => {
    for (const [what, [path, body, answer]] of Object.entries(cases)) {
      test(what, async () => {
        await using cloud = await start();
        const said = await reported(`${cloud.url}${path}`, body);
        assert.equal(said.slice(0, answer.length), answer);
      });
    }
  });
}
