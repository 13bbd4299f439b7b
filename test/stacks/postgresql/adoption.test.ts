import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { accountAdoption, ownAccountAdoption } from '../../../controllers/author/marked.ts';
import type { Adoption } from '../../../stacks/postgresql/client/mark.ts';
import { databaseOwnership, roleOwnership } from '../../../stacks/postgresql/ownership.ts';
import { adoptionOf } from '../../../stacks/postgresql/postgresql-database/desired-state.ts';
import { database, role } from './passes.ts';

/** The message about a database or role without a mark, after the words `is not managed by` and the resource. */
function refusal(managed: Managed, kind: 'database' | 'role', adoption: Adoption): string {
  try {
    const { checkMayManage } = kind === 'database' ? databaseOwnership : roleOwnership;
    checkMayManage(managed, { name: managed.metadata.name }, adoption);
  } catch (error) {
    return (error as Error).message.replace(/^[^;]*; /, '').replace(/ IS '.*'$/, '');
  }
  throw new Error('it may be managed');
}

const orphaned = { spec: { deletionPolicy: 'Orphan' } } as const;
const owned = { owner: 'postgres' };
const claimRef = { kind: 'PostgreSQLInstance', namespace: 'team', name: 'orders' };
const reserved = database('shop', owned, { spec: { ...orphaned.spec, claimRef } });
const provisioned = database('shop', owned, { spec: { claimRef, classRef: { name: 'small' } } });
const first =
  'set spec.claimRef first, because the first claim that names this resource gets its data; to adopt it';
const takenOver = 'to adopt it, after which its password and attributes become those of this resource';
const rows: Readonly<Record<string, readonly [text: string, words: string]>> = {
  'a database that kubectl delete drops then': [
    refusal(database('shop', owned), 'database', adoptionOf(database('shop', owned), owned, [])),
    `${first} (kubectl delete of this resource then drops it with its data, because its policies allow Delete), run: COMMENT ON DATABASE "shop"`,
  ],
  'a database that the policies keep': [
    refusal(
      database('shop', owned, orphaned),
      'database',
      adoptionOf(database('shop', owned, orphaned), owned, []),
    ),
    `${first}, run: COMMENT ON DATABASE "shop"`,
  ],
  'a database that is reserved for a claim': [
    refusal(reserved, 'database', adoptionOf(reserved, owned, [])),
    'to adopt it (PostgreSQLInstance team/orders gets its data), run: COMMENT ON DATABASE "shop"',
  ],
  'a database that was provisioned for a claim': [
    refusal(provisioned, 'database', adoptionOf(provisioned, owned, [])),
    'database "shop" exists and is not managed by postgresqldatabase.postgresql.crossplane.io/shop',
  ],
  'the own role of a database': [
    refusal(database('shop'), 'role', ownAccountAdoption(database('shop'))),
    `${takenOver}, and it is dropped with the database, run: COMMENT ON ROLE "shop"`,
  ],
  'a role that kubectl delete drops then': [
    refusal(role('reader'), 'role', accountAdoption(role('reader'))),
    `${takenOver}, and kubectl delete of this resource drops it, because its policies allow Delete, run: COMMENT ON ROLE "reader"`,
  ],
  'a role that the policies keep': [
    refusal(role('reader', {}, orphaned), 'role', accountAdoption(role('reader', {}, orphaned))),
    `${takenOver}, run: COMMENT ON ROLE "reader"`,
  ],
};

describe('the message with the statement that adopts names each effect of the adoption', () => {
  for (const [what, [text, words]] of Object.entries(rows)) test(what, () => assert.equal(text, words));
});
