import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { databaseUri } from '../../../../clients/database-details.ts';
import { ExternalError } from '../../../../clients/external-error.ts';
import { defaultSslMode } from '../../../../clients/server-credentials.ts';
import { selfSignedCertificate } from '../../../../local/postgresql-certificate.ts';
import type { Credentials } from '../../../../stacks/postgresql/client/credentials.ts';
import { parseCredentials } from '../../../../stacks/postgresql/client/credentials.ts';
import { toPostgresqlError } from '../../../../stacks/postgresql/client/error.ts';
import { scramVerifier } from '../../../../stacks/postgresql/client/scram-verifier.ts';

const secret = { endpoint: 'db.example.org', username: 'admin', password: 's3cr3t-value' };
const pem = selfSignedCertificate().certificate.trim();

const emptyPem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';

const most = { ...secret, sslmode: 'verify-ca', database: 'defaultdb' } as const;

const good: Record<string, { readonly data: Record<string, string>; readonly want: Credentials }> = {
  'the least': { data: secret, want: { ...secret, port: 5432 } },
  everything: {
    data: { ...most, port: '6543', clusterCA: `${pem}\n`, serverDatabases: 'leave\n', other: 'x' },
    want: { ...most, port: 6543, clusterCA: pem, serverDatabases: 'leave' },
  },
  'empty optional entries': {
    data: { ...secret, sslmode: '', clusterCA: '', database: '' },
    want: { ...secret, port: 5432 },
  },
  'line ends around an endpoint': {
    data: { ...secret, endpoint: 'db\n', port: '5433\n' },
    want: { ...secret, endpoint: 'db', port: 5433 },
  },
  IPv6: { data: { ...secret, endpoint: 'fd00::1' }, want: { ...secret, endpoint: 'fd00::1', port: 5432 } },
  'a password with spaces at its ends': {
    data: { ...secret, password: ' p ' },
    want: { ...secret, password: ' p ', port: 5432 },
  },
};
for (const [name, { data, want }] of Object.entries(good)) {
  test(`credentials: ${name}`, () => assert.deepEqual(parseCredentials(data), want));
}

const bad: Record<string, { readonly key: string; readonly value: string | undefined }> = {
  'no endpoint': { key: 'endpoint', value: undefined },
  'empty endpoint': { key: 'endpoint', value: ' ' },
  'a URI as endpoint': { key: 'endpoint', value: 'postgres://sensitive@host' },
  'a socket as endpoint': { key: 'endpoint', value: '/var/run/sensitive' },
  'a port in the endpoint': { key: 'endpoint', value: 'sensitive:5432' },
  'no username': { key: 'username', value: undefined },
  'no password': { key: 'password', value: undefined },
  'empty password': { key: 'password', value: '' },
  'zero byte in a password': { key: 'password', value: 'sensi\0tive' },
  'port 0': { key: 'port', value: '0' },
  'port too high': { key: 'port', value: '65536' },
  'port no number': { key: 'port', value: 'sensitive' },
  'sslmode that may go without TLS': { key: 'sslmode', value: 'prefer' },
  'CA no PEM': { key: 'clusterCA', value: 'sensitive' },
  'CA that is cut off': { key: 'clusterCA', value: pem.slice(0, -30) },
  'CA that contains no certificate': { key: 'clusterCA', value: emptyPem },
  'CA whose second certificate is broken': { key: 'clusterCA', value: `${pem}\n${emptyPem}` },
};
for (const [name, { key, value }] of Object.entries(bad)) {
  test(`credentials: ${name} is refused by key, without the value`, () => {
    const { [key]: _, ...rest } = { ...secret, [key]: '' } as Record<string, string>;
    const data = value === undefined ? rest : { ...rest, [key]: value };
    assert.throws(
      () => parseCredentials(data),
      (error: unknown) =>
        error instanceof ExternalError &&
        error.errorClass === 'Invalid' &&
        error.message.includes(`"${key}"`) &&
        !/sensi|s3cr3t/.test(error.message),
    );
  });
}

const modes: Record<string, readonly [want: string, endpoint: string, more?: { clusterCA: string }]> = {
  'a CA': ['verify-full', '127.0.0.1', { clusterCA: pem }],
  'this machine': ['disable', '127.0.0.1'],
  'this machine by name': ['disable', 'localhost'],
  'this machine by IPv6': ['disable', '::1'],
  'another machine': ['require', 'db'],
  'a name that looks like this machine': ['require', '127.evil.example'],
};
for (const [name, [want, endpoint, more]] of Object.entries(modes)) {
  test(`sslmode for ${name}: ${want}`, () => assert.equal(defaultSslMode({ endpoint, ...more }), want));
}

test('every part of a URI is encoded and comes back', () => {
  const target = { username: "a@b:c/d'(!)*", password: 'p %#?&/@:ü', database: 'x/y ?z' };
  const uri = databaseUri({
    scheme: 'postgresql',
    ...target,
    host: 'db',
    port: 5432,
    query: { sslmode: 'require' },
  });
  assert.match(
    uri,
    /^postgresql:\/\/[A-Za-z0-9%._~-]+:[A-Za-z0-9%._~-]+@db:5432\/[A-Za-z0-9%._~-]+\?sslmode=require$/,
  );
  const { username, password, pathname } = new URL(uri);
  const parts = [username, password, pathname.slice(1)].map(decodeURIComponent);
  assert.deepEqual(parts, [target.username, target.password, target.database]);
  assert.equal(
    databaseUri({ scheme: 'postgresql', host: '::1', port: 1, username: 'u' }),
    'postgresql://u@[::1]:1',
  );
});

test('a verifier is that of RFC 7677', () => {
  const salt = Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64');
  assert.equal(
    scramVerifier('pencil', { salt }),
    'SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=',
  );
});

describe('errors', () => {
  const context = { server: 'db:5432', username: 'admin', secrets: ['s3cr3t'] };
  const thrown = (message: string, fields: object) => Object.assign(new Error(message), fields);
  interface Want {
    readonly code: string;
    readonly isRetryable: boolean;
    readonly message: string;
  }
  const unreachable = (why: string): Want => ({
    code: 'Unreachable',
    isRetryable: true,
    message: `server db:5432 is unreachable: ${why}`,
  });
  /** An error of the server, which stays as it is. */
  const asItIs = (code: string, isRetryable: boolean, message: string): readonly [unknown, Want] => [
    thrown(message, { code }),
    { code, isRetryable, message },
  ];
  const inUse = { code: '2BP01', detail: 'owner of a\nowner of b' };
  const rows: Record<string, readonly [error: unknown, want: Want]> = {
    'connection reset': [thrown('read ECONNRESET', { code: 'ECONNRESET' }), unreachable('connection reset')],
    'a broken pipe is no SQLSTATE': [
      thrown('write EPIPE', { code: 'EPIPE' }),
      unreachable('connection closed'),
    ],
    'several addresses, none answers': [
      Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' }),
      unreachable('connection refused'),
    ],
    'server starting': [
      thrown('the database system is starting up', { code: '57P03' }),
      unreachable('the database system is starting up'),
    ],
    'no rights, with the user and the missing right': [
      thrown('permission denied to create role', {
        code: '42501',
        detail: 'Only roles with the CREATEROLE attribute may create roles.',
      }),
      {
        code: '42501',
        isRetryable: false,
        message:
          'permission denied to create role: Only roles with the CREATEROLE attribute may create roles. (server db:5432, user "admin")',
      },
    ],
    'a standby': asItIs('25006', true, 'cannot execute CREATE ROLE in a read-only transaction'),
    'disk full': [
      thrown('no space', { code: '53100' }),
      {
        code: '53100',
        isRetryable: true,
        message:
          'the disk of server db:5432 is full: no space; add space to its disk, or delete what is not needed there',
      },
    ],
    deadlock: asItIs('40P01', true, 'deadlock detected'),
    'dependent objects, with the detail': [
      thrown('role "r" cannot be dropped', inUse),
      {
        code: 'InUse',
        isRetryable: true,
        message: 'role "r" cannot be dropped: owner of a; owner of b',
      },
    ],
    'a certificate': [
      thrown('self-signed certificate', { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }),
      {
        code: 'TlsFailed',
        isRetryable: false,
        message:
          'TLS with server db:5432 failed: its certificate comes from an authority that is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT); put the certificate of that authority into the entry clusterCA of the credentials',
      },
    ],
    'a password in the message': [
      thrown('syntax error at or near "s3cr3t"', { code: '42601' }),
      { code: '42601', isRetryable: false, message: 'syntax error at or near "***"' },
    ],
    'a verifier in the message': [
      thrown('at SCRAM-SHA-256$4096:abc$def:ghi', { code: '42601' }),
      { code: '42601', isRetryable: false, message: 'at ***' },
    ],
  };
  for (const [name, [error, want]] of Object.entries(rows)) {
    test(name, () => {
      const { code, isRetryable, message, cause } = toPostgresqlError(error, context);
      assert.deepEqual({ code, isRetryable, message }, want);
      assert.equal(cause, undefined, 'the cause may hold a statement');
    });
  }
});
