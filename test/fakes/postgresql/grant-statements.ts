import type { Acl } from './acl.ts';
import { everybody, privilegesOn, withGrant, withoutGrant } from './acl.ts';
import { keyIn } from './catalog.ts';
import type { Guarded } from './rights.ts';
import { checkSuperuser, guardedDatabase, guardedSchema } from './rights.ts';
import { missing, ServerError } from './server-error.ts';
import type { Execution, Statement } from './statement.ts';
import { writing } from './statement.ts';
import type { Words } from './words.ts';

type Grantee = (execution: Execution) => string;

function grantee(words: Words): Grantee {
  if (words.accept('SESSION_USER') || words.accept('CURRENT_USER')) return ({ session }) => session.user;
  if (words.accept('PUBLIC')) return () => everybody;
  const name = words.name();
  return ({ tx }) => {
    if (tx.get('roles', name) === undefined) throw missing.role(name);
    return name;
  };
}

function grantees(words: Words): readonly Grantee[] {
  const found = [grantee(words)];
  while (words.accept(',')) found.push(grantee(words));
  return found;
}

/** The privileges of a GRANT or REVOKE on an object, and the object. */
function subject(words: Words, given: readonly string[]) {
  const kind = words.accept('DATABASE') ? 'database' : 'schema';
  if (kind === 'schema') words.expect('SCHEMA');
  const name = words.name();
  const known: readonly string[] = privilegesOn[kind];
  const privileges = given.flatMap((each) => {
    const privilege = each.toUpperCase().replace(/^TEMP$/, 'TEMPORARY');
    if (privilege === 'ALL') return known;
    if (known.includes(privilege)) return [privilege];
    throw new ServerError('0LP01', `invalid privilege type ${privilege} for ${kind}`);
  });
  const find = ({ tx, session }: Execution): Guarded => {
    const database = tx.get('databases', name);
    const schema = tx.get('schemas', keyIn.inside(session.databaseOid, name));
    if (kind === 'database' && database !== undefined) return guardedDatabase(database);
    if (kind === 'schema' && schema !== undefined) return guardedSchema(schema);
    throw missing[kind](name);
  };
  const store = async ({ tx, session }: Execution, acl: Acl): Promise<void> => {
    if (kind === 'database') {
      const row = tx.get('databases', name);
      if (row !== undefined) await tx.put('databases', name, { ...row, acl });
      return;
    }
    const key = keyIn.inside(session.databaseOid, name);
    const row = tx.get('schemas', key);
    if (row !== undefined) await tx.put('schemas', key, { ...row, acl });
  };
  return { name, privileges, find, store };
}

/** `GRANT` was read. */
export function grant(words: Words): Statement {
  const given = words.names();
  words.accept('PRIVILEGES');
  if (!words.accept('ON')) return grantMembership(words, given);
  const { name, privileges, find, store } = subject(words, given);
  words.expect('TO');
  const to = grantees(words);
  const isGrantable = words.accept('WITH', 'GRANT', 'OPTION');
  return writing('GRANT', name, async (execution) => {
    checkSuperuser(execution.tx, execution.user);
    const { owner: grantor, ...guarded } = find(execution);
    let { acl } = guarded;
    const names = to.map((each) => each(execution));
    if (isGrantable && names.includes(everybody)) {
      throw new ServerError('0LP01', 'grant options can only be granted to roles');
    }
    for (const privilege of privileges) {
      for (const to of names) acl = withGrant(acl, { grantee: to, grantor, privilege, isGrantable });
    }
    await store(execution, acl);
    return [];
  });
}

/** `REVOKE` was read. */
export function revoke(words: Words): Statement {
  const isOptionOnly = words.accept('GRANT', 'OPTION', 'FOR');
  const isAdminOnly = !isOptionOnly && words.accept('ADMIN', 'OPTION', 'FOR');
  const given = words.names();
  words.accept('PRIVILEGES');
  if (!words.accept('ON')) return revokeMembership(words, given, isAdminOnly);
  const { name, privileges, find, store } = subject(words, given);
  words.expect('FROM');
  const from = grantees(words);
  words.accept('CASCADE');
  return writing('REVOKE', name, async (execution) => {
    checkSuperuser(execution.tx, execution.user);
    const { owner: grantor, ...guarded } = find(execution);
    let { acl } = guarded;
    for (const privilege of privileges) {
      for (const each of from) {
        acl = withoutGrant(acl, { grantee: each(execution), grantor, privilege }, isOptionOnly);
      }
    }
    await store(execution, acl);
    return [];
  });
}

/** Superusers give and take memberships as the first of them. */
function membershipGrantor({ tx, session, user }: Execution): string {
  checkSuperuser(tx, user);
  const [first] = tx.all('roles');
  return first?.name ?? session.user;
}

function isMemberOf({ tx }: Execution, member: string, role: string): boolean {
  const found = new Set([member]);
  for (const name of found) {
    for (const row of tx.all('memberships')) if (row.member === name) found.add(row.role);
  }
  return found.has(role);
}

function grantMembership(words: Words, given: readonly string[]): Statement {
  words.expect('TO');
  const to = grantees(words);
  const isAdmin = words.accept('WITH', 'ADMIN', 'OPTION');
  return writing('GRANT ROLE', given.join(', '), async (execution) => {
    const { tx } = execution;
    for (const member of to.map((each) => each(execution))) {
      for (const role of given) {
        if (tx.get('roles', role) === undefined) throw missing.role(role);
        if (role === 'pg_database_owner') {
          throw new ServerError('0A000', `role "${role}" cannot have explicit members`);
        }
        const grantor = membershipGrantor(execution);
        if (isMemberOf(execution, role, member)) {
          throw new ServerError('0LP01', `role "${role}" is a member of role "${member}"`);
        }
        const key = keyIn.membership({ role, member, grantor });
        const before = tx.get('memberships', key);
        const inherits = before?.inherits ?? tx.get('roles', member)?.inherit ?? true;
        const row = { role, member, grantor, isAdmin: isAdmin || before?.isAdmin === true, inherits };
        await tx.put('memberships', key, row);
      }
    }
    return [];
  });
}

function revokeMembership(words: Words, given: readonly string[], isOptionOnly: boolean): Statement {
  words.expect('FROM');
  const from = grantees(words);
  const by = words.accept('GRANTED', 'BY') ? words.name() : undefined;
  words.accept('CASCADE');
  return writing('REVOKE ROLE', given.join(', '), async (execution) => {
    const { tx } = execution;
    for (const member of from.map((each) => each(execution))) {
      for (const role of given) {
        if (tx.get('roles', role) === undefined) throw missing.role(role);
        const grantor = by ?? membershipGrantor(execution);
        const key = keyIn.membership({ role, member, grantor });
        const row = tx.get('memberships', key);
        if (row === undefined) continue;
        if (isOptionOnly) await tx.put('memberships', key, { ...row, isAdmin: false });
        else await tx.remove('memberships', key);
      }
    }
    return [];
  });
}
