import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import type { ExternalError } from '../../../clients/external-error.ts';
import type { DatabaseObservation } from '../../../stacks/mysql/client/database.ts';
import type { Definition } from '../../../stacks/mysql/client/definitions.ts';
import { markOf } from '../../../stacks/mysql/client/mark.ts';
import { databasePrivileges } from '../../../stacks/mysql/client/privilege.ts';
import type { SchemaObservation } from '../../../stacks/mysql/client/schema.ts';
import type { UserObservation } from '../../../stacks/mysql/client/user-spec.ts';
import { connectionDetails } from '../../../stacks/mysql/connection-details.ts';
import { databasePrivileges as declaredPrivileges } from '../../../stacks/mysql/kinds/v1alpha1/fields.ts';
import type { MySQLDatabase } from '../../../stacks/mysql/kinds/v1alpha1/mysql-database.ts';
import type { MySQLGrant } from '../../../stacks/mysql/kinds/v1alpha1/mysql-grant.ts';
import type { Found } from '../../../stacks/mysql/mysql-database/desired-state.ts';
import { observationOf } from '../../../stacks/mysql/mysql-database/desired-state.ts';
import { checkServer } from '../../../stacks/mysql/mysql-database/engine-version.ts';
import { grantSpec } from '../../../stacks/mysql/mysql-grant/desired-state.ts';
import { databaseOwnership, userOwnership } from '../../../stacks/mysql/ownership.ts';
import { endPreviousOwner, waitsForPreviousOwner } from '../../../stacks/mysql/previous-owner.ts';
import { exposureEvent, lackEvent } from '../../../stacks/mysql/server-exposure.ts';

const signal = new AbortController().signal;
const ownMark = markOf('mysqldatabase.mysql.crossplane.io/shop');

interface Given {
  readonly forProvider?: MySQLDatabase['spec']['forProvider'];
  readonly spec?: Partial<MySQLDatabase['spec']>;
  readonly status?: MySQLDatabase['status'];
}

const managedDatabase = ({ forProvider = {}, spec, status }: Given = {}): MySQLDatabase => ({
  apiVersion: 'mysql.crossplane.io/v1alpha1',
  kind: 'MySQLDatabase',
  metadata: { name: 'shop', annotations: { [annotationKeys.externalName]: 'shop' } },
  spec: { forProvider, ...spec },
  ...(status && { status }),
});

const database: SchemaObservation = {
  kind: 'database',
  name: 'shop',
  characterSet: 'utf8mb4',
  collation: 'utf8mb4_general_ci',
  mark: ownMark,
};
const user: UserObservation = {
  kind: 'user',
  name: 'shop',
  maxUserConnections: 10,
  maxStatementSeconds: 0,
  tls: 'Optional',
  plugin: 'mysql_native_password',
  isLocked: false,
  expires: false,
  isExpired: false,
  otherHosts: [],
  mark: ownMark,
};
const found: Found = {
  database,
  user,
  grant: { privileges: databasePrivileges.toSorted(), unescaped: [] },
  marks: { database: ownMark, user: ownMark },
  isLockedOut: false,
  facts: { flavour: 'MariaDB', version: '10.11.19', ignoresCase: false, hasTls: true },
};

test('the privileges of the definition are those that the server has', () =>
  assert.deepEqual(declaredPrivileges.toSorted(), databasePrivileges.toSorted()));

describe('an observation of a database', () => {
  test('equals a spec that leaves all to the server, and fills in the values that are there', () => {
    const { isUpToDate, ready, status, lateInitialized } = observationOf(managedDatabase(), found);
    assert.deepEqual(
      [isUpToDate, ready?.reason, status, lateInitialized],
      [
        true,
        'Available',
        {
          characterSet: 'utf8mb4',
          collation: 'utf8mb4_general_ci',
          engineVersion: '10.11.19',
          flavour: 'MariaDB',
        },
        { characterSet: 'utf8mb4', collation: 'utf8mb4_general_ci', maxUserConnections: 10 },
      ],
    );
  });

  const differences: Readonly<
    Record<string, readonly [Given['forProvider'], Partial<Found>, string[], string[]]>
  > = {
    'of fields': [
      { maxUserConnections: 5, tls: 'Required', collation: 'utf8mb4_unicode_ci' },
      {},
      ['collation', 'maxUserConnections', 'tls'],
      ['spec.forProvider.collation', 'spec.forProvider.maxUserConnections', 'spec.forProvider.tls'],
    ],
    'of a plugin, by the name of its field': [
      { passwordPlugin: 'ed25519' },
      {},
      ['plugin'],
      ['spec.forProvider.passwordPlugin'],
    ],
    'of privileges that the spec leaves out': [
      {},
      { grant: { privileges: ['SELECT'], unescaped: [] } },
      ['privileges'],
      [],
    ],
    'of a grant that is for other databases, too': [
      { privileges: ['SELECT'] },
      { grant: { privileges: ['SELECT'], unescaped: ['SELECT'] } },
      ['privileges'],
      ['spec.forProvider.privileges'],
    ],
    'of a user that is gone': [{}, { user: undefined, grant: undefined }, ['user'], []],
  };
  for (const [name, [forProvider, changed, difference, differing]] of Object.entries(differences)) {
    test(`names the differences ${name}`, () => {
      const observation = observationOf(managedDatabase({ forProvider: forProvider ?? {} }), {
        ...found,
        ...changed,
      });
      assert.deepEqual(
        [(observation.difference ?? '').split(', ').toSorted(), observation.differing ?? []],
        [difference.toSorted(), differing],
      );
    });
  }

  const closed: Readonly<Record<string, Partial<Found>>> = {
    'the user of the database does not exist': { user: undefined },
    'the user of the database is locked': { user: { ...user, isLocked: true } },
    'the user of the database has no privileges on it': { grant: { privileges: [], unescaped: [] } },
    'the server refuses the password of the user': { isLockedOut: true },
  };
  for (const [message, changed] of Object.entries(closed)) {
    test(`is not Ready while ${message}`, () => {
      const { ready } = observationOf(managedDatabase(), { ...found, ...changed });
      assert.deepEqual([ready?.status, ready?.message], ['False', message]);
    });
  }
});

describe('a name that another resource has', () => {
  const other = markOf('mysqldatabase.mysql.crossplane.io/other');
  const lost = managedDatabase({ status: { externalIdentity: '{}' } });
  const cases: Readonly<Record<string, readonly [Managed, DatabaseObservation, string | undefined]>> = {
    'the database': [lost, { ...found, database: { ...database, mark: other } }, 'database `shop` is of a'],
    'the user alone': [lost, { ...found, user: { ...user, mark: other } }, 'user `shop` is of a'],
    'without a mark: the mark may be lost': [
      lost,
      { ...found, database: { kind: 'database', name: 'shop', characterSet: '', collation: '' } },
      undefined,
    ],
    'before it was ever ours': [
      managedDatabase(),
      { ...found, database: { ...database, mark: other } },
      undefined,
    ],
  };
  const options = { holderOf: () => undefined };
  for (const [name, [managed, observed, want]] of Object.entries(cases)) {
    test(name, () => {
      const { taken } =
        databaseOwnership.observedTaken(managed, observed.database, options) ??
        userOwnership.observedTaken(managed, observed.user, options) ??
        {};
      assert.equal(taken?.split(' resource')[0], want);
    });
  }
});

describe('a database without our mark', () => {
  const { mark: _mark, ...unmarked } = database;
  const refusal = (given: Given, mark?: string): string => {
    try {
      const found = { ...unmarked, ...(mark && { mark }) };
      databaseOwnership.checkMayManage(managedDatabase(given), found, { isReserved: false });
      return 'managed';
    } catch (error) {
      return (error as Error).message;
    }
  };
  const statement = `REPLACE INTO services_stack.marks (type, name, digest) VALUES ('database', 'shop', '${ownMark}')`;
  test('is refused with the statement that adopts it', () => assert.ok(refusal({}).includes(statement)));
  test('is refused without a statement if a claim chose its name', () => {
    const message = refusal({ spec: { classRef: { name: 'small' } } });
    assert.match(message, /^database `shop` exists and is not managed by/);
    assert.doesNotMatch(message, /REPLACE/);
  });
  test('that was ours has lost its mark', () =>
    assert.match(
      refusal({ status: { externalIdentity: '{}' } }),
      /has no mark, but this resource managed a database of this name; if another database took the name, move its tables to a database of another name, and drop the empty one\. To hand/,
    ));
  test('with the mark of another resource is never given away', () => {
    const message = refusal({}, markOf('another'));
    assert.match(message, /is managed by another resource/);
    assert.doesNotMatch(message, /REPLACE/);
  });
  test('is managed by a resource that only observes', () =>
    assert.equal(refusal({ spec: { managementPolicies: ['Observe'] } }), 'managed'));
});

describe('a server is compared with the spec before a creation', () => {
  const server = {
    flavour: 'MariaDB',
    version: '10.11.19',
    ignoresCase: false,
    hasTls: true,
    address: 'db:3306',
  } as const;
  const refusal = (forProvider: MySQLDatabase['spec']['forProvider']) => {
    try {
      return checkServer(managedDatabase({ forProvider }), server);
    } catch (error) {
      const { message, advice } = error as ExternalError;
      return [message, advice?.fields];
    }
  };
  test('any server', () => assert.equal(refusal({}), undefined));
  test('the same version, less precise', () =>
    assert.equal(refusal({ engineVersion: '10.11', flavour: 'MariaDB' }), undefined));
  test('another version', () =>
    assert.deepEqual(refusal({ engineVersion: '11.4' }), [
      'spec.forProvider.engineVersion is "11.4", but server db:3306 runs MariaDB 10.11.19; change it, or use a provider whose server runs MariaDB 11.4',
      ['spec.forProvider.engineVersion'],
    ]));
  test('another product', () =>
    assert.deepEqual(refusal({ flavour: 'MySQL' }), [
      'spec.forProvider.flavour is MySQL, but server db:3306 runs MariaDB 10.11.19; change it, or use a provider whose server is MySQL',
      ['spec.forProvider.flavour'],
    ]));
});

describe('connection details', () => {
  const credentials = { endpoint: 'db.example', port: 3306, username: 'admin', password: 'secret' };
  const login = { username: "a@b:c/d'(!)*", password: 'p %#?&/@:ü', database: 'x/y ?z' };
  test('every part of the URI is encoded and comes back', () => {
    const { uri, sslmode } = connectionDetails(credentials, { ...login, tls: undefined });
    assert.match(
      uri ?? '',
      /^mysql:\/\/[A-Za-z0-9%._~-]+:[A-Za-z0-9%._~-]+@db\.example:3306\/[A-Za-z0-9%._~-]+$/,
    );
    const { username, password, pathname } = new URL(uri ?? '');
    assert.deepEqual([username, password, pathname.slice(1)].map(decodeURIComponent), Object.values(login));
    assert.equal(sslmode, 'require');
  });
  test('name TLS for a user who must use it, also on the same machine', () => {
    const local = { ...credentials, endpoint: '127.0.0.1' };
    assert.equal(connectionDetails(local, { ...login, tls: 'Optional' }).sslmode, undefined);
    assert.equal(connectionDetails(local, { ...login, tls: 'Required' }).sslmode, 'require');
  });
});

describe('open sessions of the previous owner', () => {
  const claimRef = {
    apiVersion: 'database.crossplane.io/v1alpha1',
    kind: 'MySQLInstance',
    name: 'shop',
    namespace: 'team',
    uid: 'u',
  };
  const taken = managedDatabase({ spec: { claimRef }, status: { bindingPhase: 'Unbound' } });
  const bound = managedDatabase({ spec: { claimRef }, status: { bindingPhase: 'Bound' } });
  const usersWith = (sessions: number, defined: readonly Definition[] = []) => {
    const ended: string[] = [];
    return {
      ended,
      countSessions: async () => sessions,
      definedBy: async () => defined,
      endSessions: async (name: string) => {
        ended.push(name);
        return sessions;
      },
    };
  };
  const isNew = { value: 'new', isApplied: false };
  const waits: Readonly<
    Record<
      string,
      readonly [Managed, { readonly value: string; readonly isApplied: boolean } | undefined, number, boolean]
    >
  > = {
    'of a claim that took the resource': [taken, isNew, 2, true],
    'none is open': [taken, isNew, 0, false],
    'the credential is applied': [taken, { ...isNew, isApplied: true }, 2, false],
    'a rotation of the same owner ends none': [bound, isNew, 2, false],
    'no claim took it': [managedDatabase(), isNew, 2, false],
  };
  for (const [name, [managed, credential, sessions, want]] of Object.entries(waits)) {
    test(`the next claim ${want ? 'waits' : 'does not wait'}: ${name}`, async () =>
      assert.equal(await waitsForPreviousOwner(usersWith(sessions), managed, credential, signal), want));
  }
  test('are ended if the policy allows it', async () => {
    const users = usersWith(2);
    await endPreviousOwner(users, taken, { onDelete: 'TerminateSessions', signal });
    assert.deepEqual(users.ended, ['shop']);
  });
  test('are counted otherwise, and none is ended', async () => {
    const users = usersWith(2);
    await assert.rejects(endPreviousOwner(users, taken, { onDelete: undefined, signal }), {
      message:
        'user `shop` has 2 open sessions of its previous owner; waiting for them to end; to terminate them, set spec.forProvider.onDelete: TerminateSessions',
    });
    assert.deepEqual(users.ended, []);
  });
  const view = { what: 'view `shared`.`leak`', statement: 'DROP VIEW `shared`.`leak`' };
  test('have ended, and a view in another database still runs as the user', async () => {
    const users = usersWith(0, [view]);
    assert.equal(await waitsForPreviousOwner(users, taken, isNew, signal), true);
    await assert.rejects(endPreviousOwner(users, taken, { onDelete: undefined, signal }), {
      message:
        'view `shared`.`leak` would run with the rights of user `shop`, as its previous owner defined; once they are not needed, an administrator of the server runs: DROP VIEW `shared`.`leak`',
    });
    await endPreviousOwner(users, bound, { onDelete: undefined, signal });
  });
  test('of the same owner stay after a rotation', async () => {
    const users = usersWith(2);
    await endPreviousOwner(users, bound, { onDelete: 'TerminateSessions', signal });
    assert.deepEqual(users.ended, []);
  });
});

describe('a grant', () => {
  const grant = (forProvider: MySQLGrant['spec']['forProvider']): MySQLGrant => ({
    apiVersion: 'mysql.crossplane.io/v1alpha1',
    kind: 'MySQLGrant',
    metadata: { name: 'g' },
    spec: { forProvider },
  });
  test('names the resources of its references, which may be those of claims', () =>
    assert.deepEqual(
      grantSpec(
        grant({
          user: 'reporting',
          userRef: { name: 'reporting-user' },
          database: 'shop',
          databaseRef: { name: 'shop-db' },
          privileges: ['SELECT'],
        }),
      ),
      {
        user: 'reporting',
        database: 'shop',
        privileges: ['SELECT'],
        resources: {
          user: 'mysqluser.mysql.crossplane.io/reporting-user',
          database: 'mysqldatabase.mysql.crossplane.io/shop-db',
        },
      },
    ));
  const incomplete: Readonly<Record<string, MySQLGrant['spec']['forProvider']>> = {
    'spec.forProvider.user is needed': { database: 'shop', privileges: ['SELECT'] },
    'spec.forProvider.database is needed': { user: 'reporting', privileges: ['SELECT'] },
    'spec.forProvider.privileges are needed': { user: 'reporting', database: 'shop' },
  };
  for (const [message, forProvider] of Object.entries(incomplete)) {
    test(message, () =>
      assert.throws(() => grantSpec(grant(forProvider)), { message: new RegExp(`^${message}`) }),
    );
  }
});

describe('the Event about a server that is open to strangers', () => {
  const at = { endpoint: 'db', port: 3306 };
  test('there is none if it is not', () =>
    assert.equal(exposureEvent({ anonymous: [], openPatterns: [], statements: [] }, at), undefined));
  test('has the databases, the users without a name, and the statements', () =>
    assert.deepEqual(
      exposureEvent(
        {
          anonymous: ["''@'localhost'"],
          openPatterns: ['test', 'test\\_%'],
          statements: ["DROP USER ''@'localhost'", 'DELETE FROM mysql.db'],
        },
        at,
      ),
      {
        type: 'Warning',
        reason: 'ServerOpenToStrangers',
        message:
          "server db:3306: every user of the server may use databases `test`, `test\\_%`; ''@'localhost' has no name: from there, the correct password of any user is refused; an administrator of the server runs: DROP USER ''@'localhost'; DELETE FROM mysql.db",
      },
    ));
});

test('the Event about an administrator who lacks privileges has the statement', () => {
  const at = { endpoint: 'db', port: 3306, username: 'crossplane' };
  assert.equal(lackEvent(undefined, at), undefined);
  const statement = "GRANT PROCESS ON *.* TO 'crossplane'@'%' WITH GRANT OPTION";
  assert.deepEqual(lackEvent({ missing: ['PROCESS'], statement }, at), {
    type: 'Warning',
    reason: 'AdministratorLacksPrivileges',
    message: `user "crossplane" of server db:3306 lacks PROCESS; an administrator with all privileges runs: ${statement}`,
  });
});
