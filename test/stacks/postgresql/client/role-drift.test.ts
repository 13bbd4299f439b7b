import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RoleObservation } from '../../../../stacks/postgresql/client/role.ts';
import { roleDrift } from '../../../../stacks/postgresql/client/role.ts';

const observed: RoleObservation = {
  name: 'ann',
  login: true,
  createDb: false,
  createRole: false,
  inherit: true,
  replication: false,
  bypassRls: false,
  superuser: false,
  connectionLimit: 4,
  configuration: { work_mem: '8MB' },
};
const spec = { login: true, connectionLimit: 4, configuration: { work_mem: '8MB' } };

describe('each difference between a role and its spec is drift', () => {
  const cases: Record<string, readonly [change: Partial<RoleObservation>, drift: readonly string[]]> = {
    none: [{}, []],
    login: [{ login: false }, ['login']],
    createDb: [{ createDb: true }, ['createDb']],
    createRole: [{ createRole: true }, ['createRole']],
    inherit: [{ inherit: false }, ['inherit']],
    replication: [{ replication: true }, ['replication']],
    bypassRls: [{ bypassRls: true }, ['bypassRls']],
    superuser: [{ superuser: true }, ['superuser']],
    'connection limit': [{ connectionLimit: 9 }, ['connectionLimit']],
    'a parameter has another value': [{ configuration: { work_mem: '9MB' } }, ['configuration']],
    'a parameter is missing': [{ configuration: {} }, ['configuration']],
    'a parameter too many': [{ configuration: { work_mem: '8MB', 'app.y': '1' } }, ['configuration']],
  };
  for (const [name, [change, drift]] of Object.entries(cases)) {
    test(name, () => assert.deepEqual(roleDrift({ ...observed, ...change }, spec), drift));
  }
});

test('a spec without parameters ignores the parameters of the role', () =>
  assert.deepEqual(roleDrift(observed, { login: true, connectionLimit: 4 }), []));
