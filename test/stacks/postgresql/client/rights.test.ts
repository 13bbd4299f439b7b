import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PostgresqlError } from '../../../../stacks/postgresql/client/error.ts';
import { requiring } from '../../../../stacks/postgresql/client/rights.ts';
import type { Session, UseSession } from '../../../../stacks/postgresql/client/session.ts';

const refusal = new PostgresqlError('permission denied to create role', { code: '42501' });
const unreachable = new PostgresqlError('connect ECONNREFUSED', { code: 'Unreachable' });
const refuse = () => Promise.reject(refusal);

/** A session of a user with these rights. */
const holding =
  (held: Readonly<Record<string, boolean>>): UseSession =>
  (_database, _signal, body) =>
    body({ admin: { name: 'app' }, query: () => Promise.resolve([held]) } as unknown as Session);

describe('a creation that the server refuses', () => {
  const create = (withSession: UseSession) =>
    requiring(withSession, 'db.example.org')(['CREATEDB', 'CREATEROLE'], undefined, refuse);

  test('names all rights that the administrator lacks', () =>
    assert.rejects(
      create(holding({ CREATEDB: false, CREATEROLE: false })),
      /^PostgresqlError: user "app" of server db.example.org lacks CREATEDB and CREATEROLE; /,
    ));

  test('has the error of the server if the administrator lacks none of them', () =>
    assert.rejects(create(holding({ CREATEDB: true, CREATEROLE: true })), refusal));

  test('has the error of the server if the rights cannot be read', () =>
    assert.rejects(
      create(() => Promise.reject(unreachable)),
      refusal,
    ));
});
