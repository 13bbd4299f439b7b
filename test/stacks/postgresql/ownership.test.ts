import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ownerIdOf } from '../../../package/stack.ts';
import type { Marked } from '../../../stacks/postgresql/client/mark.ts';
import { markOf } from '../../../stacks/postgresql/client/mark.ts';
import type { PostgreSQLDatabase } from '../../../stacks/postgresql/kinds/v1alpha1/postgresql-database.ts';
import { databaseOwnership } from '../../../stacks/postgresql/ownership.ts';
import { database } from './passes.ts';

const managed = database('shop');
const managedBefore: PostgreSQLDatabase = { ...managed, status: { externalIdentity: 'shop' } };
const observer = database('shop', {}, { spec: { managementPolicies: ['Observe'] } });
const ours = markOf(ownerIdOf(managed));
const foreign = markOf('somebody else');

describe('a database', () => {
  const cases: Readonly<Record<string, readonly [PostgreSQLDatabase, Partial<Marked>, RegExp?]>> = {
    'with the mark of its resource is managed': [managed, { comment: ours }],
    'with another mark is observed': [observer, { comment: foreign }],
    'without a mark that was never managed is adopted by an administrator': [
      managed,
      {},
      /^database "shop" exists and is not managed by .*; to adopt it/,
    ],
    'without its mark that was managed before is handed to its resource by an administrator': [
      managedBefore,
      {},
      /^database "shop" has no mark, but this resource managed a database of this name; if another database took the name/,
    ],
    'with another mark that was managed before is of another resource': [
      managedBefore,
      { comment: foreign },
      /^database "shop" is managed by another resource/,
    ],
    'without a mark and with the role of another resource is of that one': [
      managedBefore,
      { distrustedOwner: 'team' },
      /^database "shop" is managed by another resource/,
    ],
  };
  for (const [rule, [resource, marks, refusal]] of Object.entries(cases)) {
    test(rule, () => {
      const check = () => databaseOwnership.checkMayManage(resource, { name: 'shop', ...marks });
      if (refusal === undefined) check();
      else assert.throws(check, { message: refusal });
    });
  }
});
