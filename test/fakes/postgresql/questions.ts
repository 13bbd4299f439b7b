import { everybody } from './acl.ts';
import type { DatabaseRow, RoleRow } from './catalog.ts';
import { keyIn } from './catalog.ts';
import { isNamedIn } from './database-statements.ts';
import { availableExtensions } from './inside-statements.ts';
import { guardedDatabase, guardedSchema, hasPrivilegesOf, isAllowed } from './rights.ts';
import { inside } from './role-statements.ts';
import { ServerError } from './server-error.ts';
import type { Execution, ObservedSession, Rows } from './statement.ts';

type Question = (execution: Execution) => Rows | Promise<Rows>;

const first = ({ values }: Execution): string => String(values[0]);
const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name < b.name ? -1 : 1;
const databasesIn = ({ tx }: Execution): readonly DatabaseRow[] => [...tx.all('databases')].toSorted(byName);

const facts =
  (withSystem: boolean): Question =>
  ({ tx, session, server }) => {
    const role = tx.get('roles', session.user);
    const system = withSystem ? server.systemIdentifier : null;
    return role === undefined
      ? []
      : [{ version: 18, name: role.name, superuser: role.superuser, standby: false, system }];
  };

const databaseFacts: Question = (execution) => {
  const { tx, user } = execution;
  const row = tx.get('databases', first(execution));
  if (row === undefined) return [];
  const guarded = guardedDatabase(row);
  return [
    {
      owner: row.owner,
      encoding: row.encoding,
      lcCollate: row.lcCollate,
      lcCType: row.lcCType,
      provider: row.provider,
      connectionLimit: row.connectionLimit,
      allowConnections: row.allowConnections,
      isTemplate: row.isTemplate,
      isOpenToPublic: isAllowed(tx, guarded, everybody, 'CONNECT'),
      isOpenToAdmin: isAllowed(tx, guarded, user, 'CONNECT'),
      isOpenToOwner: isAllowed(tx, guarded, row.owner, 'CONNECT'),
      comment: row.comment ?? null,
      ownerComment: tx.get('roles', row.owner)?.comment ?? null,
    },
  ];
};

const markedDatabases: Question = ({ tx, values }) =>
  [...tx.all('databases')]
    .filter(({ name, comment }) => comment === values[0] && name !== values[1])
    .toSorted(byName)
    .map(({ name }) => ({ name }));

const markedRoles: Question = ({ tx, values }) =>
  [...tx.all('roles')]
    .filter(({ comment }) => comment === values[0])
    .toSorted(byName)
    .map(({ name }) => ({ name }));

const usedNames: Question = ({ tx, values }) =>
  [...tx.all('databases'), ...tx.all('roles')]
    .filter(({ name }) => (values[0] as readonly string[]).includes(name))
    .map(({ name }) => ({ name }));

const ownRights: Question = ({ tx, user }) => {
  const row = tx.get('roles', user);
  if (row === undefined) return [];
  const { superuser, createDb, createRole } = row;
  return [{ CREATEDB: superuser || createDb, CREATEROLE: superuser || createRole }];
};

const roleFacts: Question = (execution) => {
  const row = execution.tx.get('roles', first(execution));
  if (row === undefined) return [];
  const { name: _, password: __, isPinned: ___, comment, configuration, ...fields } = row;
  return [
    {
      ...fields,
      configuration: configuration.length === 0 ? null : [...configuration],
      comment: comment ?? null,
    },
  ];
};

const exists =
  (table: 'roles' | 'databases'): Question =>
  (execution) =>
    execution.tx.get(table, first(execution)) === undefined ? [] : [{}];

const others = ({ server, session }: Execution): readonly ObservedSession[] =>
  server.sessions().filter(({ pid }) => pid !== session.pid);

const sessionsOn: Question = (execution) =>
  others(execution)
    .filter(({ database }) => database === first(execution))
    .map(({ user }) => ({ user }));

const sessionsInTheWay: Question = (execution) => {
  const name = first(execution);
  return others(execution)
    .filter(({ database, transaction }) => database === name || transaction?.holds('databases', name))
    .map(({ pid, user, database }) => ({
      pid,
      user,
      application: '',
      isInside: database === name,
      isOfSuperuser: false,
    }));
};

const terminate =
  (isMeant: (session: ObservedSession, execution: Execution) => boolean): Question =>
  (execution) => {
    const meant = execution.server.sessions().filter((session) => isMeant(session, execution));
    for (const session of meant) session.terminate();
    return meant.map(() => ({ pg_terminate_backend: true }));
  };

const grantFacts =
  (kind: 'database' | 'schema'): Question =>
  ({ tx, session, values }) => {
    const [role, name] = values.map(String) as [string, string];
    const database = tx.get('databases', name);
    const schema = tx.get('schemas', keyIn.inside(session.databaseOid, name));
    const guarded =
      kind === 'database' ? database && guardedDatabase(database) : schema && guardedSchema(schema);
    if (guarded === undefined || tx.get('roles', role) === undefined) return [];
    const { owner, acl } = guarded;
    const about = {
      owner,
      isOwner: owner === role,
      databaseOwner: tx.get('databases', session.database)?.owner ?? '',
    };
    const held = acl.filter(({ grantee, grantor }) => grantee === role && grantor === owner);
    if (held.length === 0) return [{ privilege: null, isGrantable: null, ...about }];
    return held.map(({ privilege, isGrantable }) => ({ privilege, isGrantable, ...about }));
  };

const membershipFacts: Question = ({ tx, values }) => {
  const [member, role] = values.map(String) as [string, string];
  if (tx.get('roles', member) === undefined || tx.get('roles', role) === undefined) return [];
  const found = [...tx.all('memberships')].filter((row) => row.role === role && row.member === member);
  if (found.length === 0) return [{ giver: null, isGrantable: null }];
  return found.map(({ grantor, isAdmin }) => ({ giver: grantor, isGrantable: isAdmin }));
};

const databasesOwned: Question = (execution) =>
  databasesIn(execution)
    .filter(({ owner }) => owner === first(execution))
    .map(({ name, comment }) => ({ name, comment: comment ?? null }));

const databasesWithPrivilegesOf: Question = (execution) => {
  const role = first(execution);
  const found = databasesIn(execution).filter((row) => isNamedIn(row, role));
  return [...new Set(found.map(({ owner }) => owner))].map((owner) => ({ owner }));
};

const dependentDatabases: Question = (execution) => {
  const { tx, session } = execution;
  const dependent = inside({ tx }, first(execution));
  return databasesIn(execution).flatMap((row) => {
    const count = dependent.filter(({ database }) => database === row.oid).length;
    if (count === 0) return [];
    const { name, owner, allowConnections, comment } = row;
    return [
      {
        database: name,
        owner,
        allowConnections,
        isOpenToAdmin: isAllowed(tx, guardedDatabase(row), session.user, 'CONNECT'),
        comment: comment ?? null,
        ownComment: (owner === name ? tx.get('roles', owner)?.comment : undefined) ?? null,
        count,
      },
    ];
  });
};

const openDatabases: Question = (execution) => {
  const { tx, session } = execution;
  const own = new Set(['postgres', 'template1', session.database]);
  return databasesIn(execution)
    .filter((row) => own.has(row.name) && isAllowed(tx, guardedDatabase(row), everybody, 'CONNECT'))
    .map(({ name, owner }) => ({ name, owner, isChangeable: hasPrivilegesOf(tx, session.user, owner) }));
};

const strangers: Question = ({ tx, session }) =>
  [...tx.all('roles')]
    .filter(({ name, login, superuser }: RoleRow) => login && !superuser && name !== session.user)
    .toSorted(byName)
    .map(({ name, comment }) => ({ name, comment: comment ?? null }));

const usersOfDatabase: Question = ({ tx, session, values }) => {
  const row = tx.get('databases', String(values[0]));
  if (row === undefined) return [];
  const users = [...tx.all('roles')].filter(
    ({ name }) => name !== row.owner && name !== session.user && isNamedIn(row, name),
  );
  return users.toSorted(byName).map(({ name }) => ({ role: name }));
};

const roleComments: Question = ({ tx, values }) =>
  [...tx.all('roles')]
    .filter(({ name }) => (values[0] as readonly string[]).includes(name))
    .map(({ name, comment }) => ({ name, comment: comment ?? null }));

const schemaOwner: Question = (execution) => {
  const { tx, session } = execution;
  const schema = tx.get('schemas', keyIn.inside(session.databaseOid, first(execution)));
  const owner = schema && guardedSchema(schema).owner;
  return owner === undefined ? [] : [{ owner, comment: tx.get('roles', owner)?.comment ?? null }];
};

const installedExtensions: Question = ({ tx, session }) =>
  [...tx.all('extensions')]
    .filter(({ database }) => database === session.databaseOid)
    .toSorted(byName)
    .map(({ name, version, schema }) => ({ name, version, schema }));

const availableExtension: Question = ({ values }) => {
  const [name, version] = values as [string, string | null];
  const found = availableExtensions.get(name);
  if (found === undefined || (version !== null && !found.versions.includes(version))) return [];
  return [{ fixedSchema: found.schema ?? null }];
};

const tryAdvisoryLock: Question = (execution) => [
  { isHeld: execution.server.advisory.take(first(execution), execution.session) },
];

const waitForAdvisoryLock: Question = async (execution) => {
  const { advisory } = execution.server;
  if (!(await advisory.wait(first(execution), execution.session))) {
    throw new ServerError('55P03', 'canceling statement due to lock timeout');
  }
  return [{ pg_advisory_lock: '' }];
};

const freeAdvisoryLock: Question = (execution) => {
  const holder = execution.server.advisory.holder(first(execution));
  const isOurs = holder === execution.session;
  if (isOurs) execution.server.advisory.free(first(execution));
  return [{ pg_advisory_unlock: isOurs }];
};

const advisoryHolders: Question = (execution) => {
  const holder = execution.server.advisory.holder(first(execution));
  const { session } = execution;
  return holder !== undefined && holder.user === session.user && holder.database === session.database
    ? [{}]
    : [];
};

/** The questions of the client to a server, by the text that distinguishes them. */
export const questions: readonly (readonly [pattern: RegExp, question: Question])[] = [
  [
    /^SELECT current_setting\('server_version_num'\).* \(SELECT system_identifier::text FROM pg_control_system\(\)\) AS system /,
    facts(true),
  ],
  [/^SELECT current_setting\('server_version_num'\).* NULL AS system /, facts(false)],
  [/^SELECT pg_try_advisory_lock\(\$1\)/, tryAdvisoryLock],
  [/^SELECT pg_advisory_lock\(\$1\)/, waitForAdvisoryLock],
  [/^SELECT pg_advisory_unlock\(\$1\)/, freeAdvisoryLock],
  [/^SELECT FROM pg_locks .* l\.locktype = 'advisory' .* a\.usename = current_user /, advisoryHolders],
  [/^SELECT pg_get_userbyid\(datdba\) AS owner, .* FROM pg_database WHERE datname = \$1$/, databaseFacts],
  [
    /^SELECT datname AS name FROM pg_database WHERE shobj_description\(oid, 'pg_database'\) = \$1 /,
    markedDatabases,
  ],
  [/^SELECT rolname AS name FROM pg_roles WHERE shobj_description\(oid, 'pg_authid'\) = \$1 /, markedRoles],
  [/^SELECT datname AS name FROM pg_database WHERE datname = ANY \(\$1\) UNION SELECT /, usedNames],
  [/^SELECT rolsuper OR rolcreatedb AS .* WHERE rolname = current_user$/, ownRights],
  [/^SELECT rolcanlogin AS login, .* FROM pg_roles WHERE rolname = \$1$/, roleFacts],
  [/^SELECT FROM pg_roles WHERE rolname = \$1$/, exists('roles')],
  [/^SELECT FROM pg_database WHERE datname = \$1$/, exists('databases')],
  [/^SELECT usename AS user FROM pg_stat_activity WHERE datname = \$1 /, sessionsOn],
  [/^SELECT a\.pid, a\.usename AS user, .* FROM pg_stat_activity a .*\(a\.datname = \$1 /, sessionsInTheWay],
  [
    /^SELECT pg_terminate_backend\(a\.pid\) .* a\.pid = ANY \(\$1\)$/,
    terminate(({ pid }, { values }) => (values[0] as readonly number[]).includes(pid)),
  ],
  [
    /^SELECT pg_terminate_backend\(pid\) FROM pg_stat_activity WHERE usename = \$1$/,
    terminate(({ user }, execution) => user === first(execution)),
  ],
  [
    /^SELECT pg_terminate_backend\(a\.pid\) .* a\.usename = \$1 AND EXISTS \( SELECT FROM pg_locks /,
    terminate(
      ({ user, transaction }, execution) => user === first(execution) && transaction?.holds('roles') === true,
    ),
  ],
  [
    /^SELECT a\.privilege_type AS privilege, .* FROM pg_namespace WHERE nspname = \$2\)/,
    grantFacts('schema'),
  ],
  [
    /^SELECT a\.privilege_type AS privilege, .* FROM pg_database WHERE datname = \$2\)/,
    grantFacts('database'),
  ],
  [/^SELECT pg_get_userbyid\(m\.grantor\) AS giver, /, membershipFacts],
  [/^SELECT datname AS name, .* FROM pg_database WHERE pg_get_userbyid\(datdba\) = \$1 /, databasesOwned],
  [/^SELECT DISTINCT pg_get_userbyid\(d\.datdba\) AS owner FROM pg_shdepend /, databasesWithPrivilegesOf],
  // Tenants write no SQL here, so that no privilege was passed on.
  [/^WITH things AS .* AND g\.grant(?:or|ee) = \(SELECT /, () => []],
  [/^SELECT d\.datname AS database, .* FROM pg_shdepend /, dependentDatabases],
  [/^SELECT datname AS name, .* datname IN \('postgres', 'template1', current_database\(\)\)/, openDatabases],
  [/^SELECT rolname AS name, .* WHERE rolcanlogin AND NOT rolsuper /, strangers],
  [/^SELECT DISTINCT r\.rolname AS role FROM pg_database d /, usersOfDatabase],
  [/^SELECT rolname AS name, .* WHERE rolname = ANY \(\$1\)$/, roleComments],
  [/^SELECT pg_get_userbyid\(nspowner\) AS owner, .* FROM pg_namespace WHERE nspname = \$1$/, schemaOwner],
  [
    /^SELECT extname AS name, extversion AS version, nspname AS schema FROM pg_extension /,
    installedExtensions,
  ],
  [/^SELECT v\.schema AS "fixedSchema" /, availableExtension],
  // There are no prepared transactions or subscriptions here.
  [/^SELECT format\('prepared transaction .* FROM pg_subscription /, () => []],
  // No functions are planted here.
  [/^WITH RECURSIVE needed AS .* planted AS /, () => []],
  [/^SELECT 1$/, () => [{ '?column?': 1 }]],
];
