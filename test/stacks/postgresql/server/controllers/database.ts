import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Client } from 'pg';
import { annotationKeys } from '../../../../../apis/core/v1alpha1/meta.ts';
import { errorFactsOf } from '../../../../../clients/external-error.ts';
import { encodeIdentity } from '../../../../../controllers/external-identity.ts';
import { markOf } from '../../../../../stacks/postgresql/client/mark.ts';
import { database, deleted, edited, role } from '../../passes.ts';
import type { Stack } from './fixture.ts';
import { loginOf } from './fixture.ts';

export function testDatabases(stack: Stack): void {
  const { sql, refusal, connect, clientOf, server } = stack;
  const signal = new AbortController().signal;

  describe('a database with an owner role of its own', () => {
    test('says in its status what the server chose', async () => {
      const { managed } = await stack.pass(
        database('chosen', { encoding: 'UTF8', lcCollate: 'C', lcCType: 'C' }),
      );
      const { owner, encoding, lcCollate, lcCType, engineVersion } = managed.status ?? {};
      assert.deepEqual(
        { owner, encoding, lcCollate, lcCType },
        { owner: 'chosen', encoding: 'UTF8', lcCollate: 'C', lcCType: 'C' },
      );
      assert.equal(engineVersion, String(await server.serverVersion()));
    });

    test('is out of reach of the owners of others', async () => {
      const [a, b] = [await stack.pass(database('team-a')), await stack.pass(database('team-b'))];
      for (const [mine, other] of [
        [a, b],
        [b, a],
      ] as const) {
        const login = loginOf(mine.known);
        const target = other.known.database ?? '';
        assert.equal(await refusal(login), 'allowed');
        assert.equal(await refusal({ ...login, database: target }), '42501');
        for (const statement of [
          `ALTER DATABASE "${target}" RENAME TO stolen`,
          `DROP DATABASE "${target}"`,
          `ALTER ROLE "${other.known.username}" PASSWORD 'x'`,
          `GRANT "${other.known.username}" TO "${login.user}"`,
          `SET ROLE "${other.known.username}"`,
          'CREATE DATABASE more',
          'CREATE ROLE more',
          'SELECT rolpassword FROM pg_authid',
        ]) {
          assert.notEqual(await refusal(login, statement), 'allowed', statement);
        }
        // A statement that grants nothing is a warning to PostgreSQL.
        await refusal(login, `GRANT ALL ON DATABASE "${target}" TO "${login.user}", PUBLIC`);
        assert.equal(await refusal({ ...login, database: target }), '42501');
        assert.equal(await refusal({ ...loginOf(other.known), password: login.password }), '28P01');
      }
    });
  });

  describe('a database that was seen before and is absent now', () => {
    const observedBefore = (name: string) => {
      const managed = database(name);
      const record = encodeIdentity({ name, fields: {} });
      const annotations = { ...managed.metadata.annotations, [annotationKeys.externalIdentity]: record };
      return { ...managed, metadata: { ...managed.metadata, annotations } };
    };
    const observe = (name: string) =>
      clientOf(observedBefore(name)).observe(observedBefore(name), undefined, signal);

    test('is found by its mark if it was renamed, with the statement that names it back', async () => {
      await stack.pass(database('moved'));
      await sql('ALTER DATABASE moved RENAME TO "el sewhere"');
      const { exists, renamed = '' } = await observe('moved');
      const statement = 'ALTER DATABASE "el sewhere" RENAME TO "moved"';
      const annotate =
        'kubectl annotate postgresqldatabase.postgresql.crossplane.io moved --overwrite crossplane.io/adopt-identity=or-create';
      assert.deepEqual(
        [exists, renamed],
        [
          false,
          `database "moved" was renamed to "el sewhere"; to name it back, an administrator of the server runs: ${statement}. Or, to have an empty one created, while database "el sewhere" keeps the data: ${annotate}`,
        ],
      );
      const { metadata, ...rest } = observedBefore('moved');
      const annotations = { ...metadata.annotations, [annotationKeys.adoptIdentity]: 'or-create' };
      const replaceable = { ...rest, metadata: { ...metadata, annotations } };
      const again = await clientOf(replaceable).observe(replaceable, undefined, signal);
      assert.match(again.renamed ?? '', /^database "moved" was renamed to "el sewhere"/);
      await sql(statement);
      assert.equal((await observe('moved')).exists, true);
    });

    test('is not found in the database of a tenant who wrote its mark', async () => {
      const { known } = await stack.pass(database('forger'));
      await stack.pass(database('forged'));
      await sql('DROP DATABASE forged');
      const statement = `COMMENT ON DATABASE forger IS '${markOf(ownerOf('forged'))}'`;
      assert.equal(await refusal(loginOf(known), statement), 'allowed');
      assert.deepEqual(await observe('forged'), { exists: false, isUpToDate: false });
    });
  });

  describe('an owner role that a user renamed', () => {
    test('is found by its mark: no second role is created, and the database is not ready', async () => {
      const { managed, known } = await stack.pass(database('host'));
      await sql('ALTER ROLE host RENAME TO guest');
      const { ready, unchangeable, isUpToDate } = await clientOf(managed).observe(managed, undefined, signal);
      const message =
        'role "host" was renamed to "guest"; to name it back, an administrator of the server runs: ALTER ROLE "guest" RENAME TO "host"';
      assert.deepEqual(
        [ready?.status, ready?.message, unchangeable, isUpToDate],
        ['False', message, message, false],
      );
      assert.deepEqual(ready?.error, { class: 'ExternalRenamed' });
      await sql('ALTER ROLE "guest" RENAME TO "host"');
      assert.equal((await stack.pass(managed, known)).acted, undefined);
      assert.equal(await refusal(loginOf(known)), 'allowed');
    });
  });

  /** As the controller records a resource after it observed it. */
  const recorded = (name: string, forProvider = {}, spec = {}) => ({
    ...database(name, forProvider, { spec }),
    status: { owner: name, externalIdentity: encodeIdentity({ name, fields: {} }) },
  });

  describe('an owner role that lost its mark', () => {
    const messages: Readonly<Record<string, readonly [spec: object, whose: string]>> = {
      'on a resource of its own': [{}, 'this resource'],
      'on the resource of a claim': [
        { claimRef: { kind: 'PostgreSQLInstance', namespace: 'team-a', name: 'shop' } },
        'this resource and PostgreSQLInstance team-a/shop',
      ],
    };
    for (const [where, [spec, whose]] of Object.entries(messages)) {
      test(`is reported, with the statement for an administrator: ${where}`, async () => {
        await stack.pass(database('lender'));
        await sql('COMMENT ON ROLE lender IS NULL');
        const managed = recorded('lender', {}, spec);
        const failure = await clientOf(managed)
          .observe(managed, undefined, signal)
          .catch((error: unknown) => error);
        const [mark, text] = [markOf(ownerOf('lender')), (failure as Error).message];
        assert.equal(
          text,
          `role "lender" has no mark, but this resource managed a role of this name; if another role took the name, rename that one. To hand it to ${whose}, with all that it owns and may do, an administrator of the server runs: COMMENT ON ROLE "lender" IS '${mark}'`,
        );
        assert.deepEqual(errorFactsOf(failure), { errorClass: 'MarkLost', advice: { kinds: ['HandOver'] } });
        await sql(/COMMENT ON ROLE .*$/.exec(text)?.[0] ?? '');
        assert.equal((await clientOf(managed).observe(managed, undefined, signal)).exists, true);
      });
    }

    test('keeps its database that is deleted until an administrator decides', async () => {
      await stack.pass(database('heir'));
      await sql('COMMENT ON ROLE heir IS NULL');
      const statement = `COMMENT ON ROLE "heir" IS '${markOf(ownerOf('heir'))}'`;
      await assert.rejects(stack.remove(recorded('heir')), {
        message: `role "heir" has no mark, but this resource managed a role of this name; this resource is being deleted: the statement lets it drop database "heir" with all its data. To drop it, an administrator of the server runs: ${statement}; to keep it, set spec.deletionPolicy: Orphan`,
      });
      assert.deepEqual(await stack.namesake('heir'), ['database', 'role']);
      await sql(statement);
      assert.equal(await stack.remove(recorded('heir')), false);
      assert.deepEqual(await stack.namesake('heir'), []);
    });

    test('is reported like another database that took the name, and the message names both cases', async () => {
      await stack.pass(database('cuckoo'));
      await sql('DROP DATABASE cuckoo');
      await sql('CREATE DATABASE cuckoo');
      const managed = recorded('cuckoo');
      const mark = markOf(ownerOf('cuckoo'));
      await assert.rejects(clientOf(managed).observe(managed, undefined, signal), {
        message: `database "cuckoo" has no mark, but this resource managed a database of this name; if another database took the name, rename that one. To hand it to this resource, with all that it owns and may do, an administrator of the server runs: COMMENT ON DATABASE "cuckoo" IS '${mark}'`,
      });
      await sql('ALTER DATABASE cuckoo RENAME TO stranger');
      assert.equal((await clientOf(managed).observe(managed, undefined, signal)).exists, false);
    });

    test('has its password tested at once after an administrator gave the mark back', async () => {
      const { known } = await stack.pass(database('reborn'));
      await sql("COMMENT ON ROLE reborn IS NULL; ALTER ROLE reborn PASSWORD 'other'");
      const managed = recorded('reborn');
      const credential = { value: known.password ?? '', isApplied: true };
      const observe = () => clientOf(managed).observe(managed, credential, signal);
      await assert.rejects(observe(), /has no mark/);
      await sql(`COMMENT ON ROLE reborn IS '${markOf(ownerOf('reborn'))}'`);
      const { ready, credential: verdict } = await observe();
      assert.deepEqual([ready?.status, verdict], ['False', 'wrong']);
    });

    test('stays when its database does not exist any more, and an Event names it', async () => {
      await stack.pass(database('stayer'));
      await sql('COMMENT ON ROLE stayer IS NULL');
      await sql('DROP DATABASE stayer');
      const managed = deleted(recorded('stayer'));
      const { exists, remains } = await clientOf(managed).observe(managed, undefined, signal);
      assert.deepEqual([exists, remains], [false, 'role "stayer", which has no mark']);
      assert.deepEqual(await stack.namesake('stayer'), ['role']);
    });
  });

  describe('a database whose name another resource has now', () => {
    /** The former owner lost or renamed both; then the resource of another claim created both under the name. */
    const takenOver = async (name: string, ...statements: readonly string[]) => {
      await stack.pass(database(name));
      for (const statement of statements) await sql(statement);
      const thief = database(`thief-${name}`, {}, { externalName: name });
      stack.claimed.add(ownerOf(`thief-${name}`));
      const { known } = await stack.pass(thief);
      await stack.pass(thief, known);
      return recorded(name);
    };
    const ways: Readonly<
      Record<string, readonly [statements: (name: string) => readonly string[], fate: string]>
    > = {
      'after both were renamed': [
        (name) => [
          `ALTER DATABASE ${name} RENAME TO ${name}_old`,
          `ALTER ROLE ${name} RENAME TO ${name}_old`,
        ],
        'database and role "NAME" were renamed to "NAME_old", and a resource has the name now; to use it under that name, set the annotation crossplane.io/external-name to "NAME_old"',
      ],
      'after both were dropped': [
        (name) => [`DROP DATABASE ${name}`, `DROP ROLE ${name}`],
        'role "NAME" is of a resource now, and the database of this resource does not exist any more; to have an empty one created, set another name in the annotation crossplane.io/external-name',
      ],
    };
    for (const [way, [statements, fate]] of Object.entries(ways)) {
      const name = way.includes('renamed') ? 'robbed' : 'bereft';
      test(`counts as lost, without a statement that gives it back: ${way}`, async () => {
        const managed = await takenOver(name, ...statements(name));
        const message = fate.replaceAll('NAME', name);
        assert.deepEqual(await clientOf(managed).observe(managed, undefined, signal), {
          exists: false,
          isUpToDate: false,
          taken: message,
          ...(way.includes('renamed') && {
            renamed: message,
            newName: `${name}_old`,
            takenBy: 'AnotherResource',
          }),
        });
      });

      test(`is not dropped with the previous resource, and no Event calls it ours: ${way}`, async () => {
        const managed = deleted(recorded(name));
        const { exists, remains = '' } = await clientOf(managed).observe(managed, undefined, signal);
        assert.equal(exists, false);
        assert.doesNotMatch(remains, new RegExp(`"${name}"`));
        await clientOf(managed).delete(managed, signal);
        assert.deepEqual(await stack.namesake(name), ['database', 'role']);
      });
    }

    test('is not dropped because its comment has the mark of the previous resource', async () => {
      const name = 'labelled';
      const managed = await takenOver(name, `DROP DATABASE ${name}`, `DROP ROLE ${name}`);
      await sql(`COMMENT ON DATABASE ${name} IS '${markOf(ownerOf(name))}'`);
      stack.claimed.delete(ownerOf(`thief-${name}`)); // the mark of the role decides, also of an administrator's
      const { taken, renamed } = await clientOf(managed).observe(managed, undefined, signal);
      assert.deepEqual(
        [taken, renamed],
        [
          'role "labelled" is of a resource now, and the database of this resource does not exist any more; to have an empty one created, set another name in the annotation crossplane.io/external-name',
          undefined,
        ],
      );
      await clientOf(deleted(managed)).delete(deleted(managed), signal);
      assert.deepEqual(await stack.namesake(name), ['database', 'role']);
    });

    test('is still ours if only its role is of another resource: it is not called gone, and dropped with ours', async () => {
      const name = 'orphaned';
      await stack.pass(database(name));
      await sql(`ALTER DATABASE ${name} OWNER TO CURRENT_USER`);
      await sql(`DROP ROLE ${name}`);
      await stack.pass(role(`thief-${name}`, { login: true }, { externalName: name }));
      stack.claimed.add(ownerOf(`thief-${name}`));
      const managed = recorded(name);
      await assert.rejects(clientOf(managed).observe(managed, undefined, signal), {
        message: /^role "orphaned" is managed by another resource, /,
      });
      assert.equal(await stack.remove(managed), false);
      assert.deepEqual(await stack.namesake(name), ['role']);
    });

    test('was renamed, and the annotation of the external name follows it with its data', async () => {
      const managed = recorded('robbed');
      const followed = {
        ...managed,
        metadata: { ...managed.metadata, annotations: { [annotationKeys.externalName]: 'robbed_old' } },
      };
      assert.equal((await clientOf(followed).observe(followed, undefined, signal)).exists, true);
    });
  });

  describe('a database that an administrator gave to the role of another resource', () => {
    const given = async (name: string, spec = {}) => {
      await stack.pass(database(name));
      await stack.pass(database('taker'));
      stack.claimed.add(ownerOf('taker'));
      await sql(`ALTER DATABASE ${name} OWNER TO taker`);
      return recorded(name, {}, spec);
    };
    const isOwned = 'is owned by role "taker", which belongs to another resource';

    test('is reported, with the statement that gives it back', async () => {
      const claimRef = { kind: 'PostgreSQLInstance', namespace: 'team-a', name: 'shop' };
      const managed = await given('astray', { claimRef });
      const observing = () => clientOf(managed).observe(managed, undefined, signal);
      const failure = await observing().catch((error: unknown) => error);
      const statement = 'ALTER DATABASE "astray" OWNER TO "astray"';
      assert.equal(
        (failure as Error).message,
        `database "astray" ${isOwned}; if its data is not of another team, an administrator of the server gives it back: ${statement}`,
      );
      assert.deepEqual(errorFactsOf(failure), {
        errorClass: 'MarkLost',
        advice: { kinds: ['HandOver'] },
        holder: { by: 'AnotherResource' },
      });
      await sql(statement);
      assert.equal((await observing()).exists, true);
    });

    test('waits when it is deleted, and the message names both ways out', async () => {
      const managed = await given('outcast');
      await assert.rejects(stack.remove(managed), {
        message: `database "outcast" ${isOwned}; this resource is being deleted: the statement lets it drop database "outcast" with all its data. To drop it, an administrator of the server runs: ALTER DATABASE "outcast" OWNER TO "outcast"; to keep it, set spec.deletionPolicy: Orphan`,
      });
      assert.deepEqual(await stack.namesake('outcast'), ['database', 'role']);
    });
  });

  describe('a database whose extension cannot be installed', () => {
    test('is closed to PUBLIC all the same', async () => {
      const { managed, known } = await stack.pass(database('planted'));
      await sql('GRANT ALL ON DATABASE planted TO PUBLIC');
      const wanted = edited(managed, { extensions: [{ name: 'no_such_extension' }] });
      await assert.rejects(stack.pass(wanted, known), /no_such_extension/);
      const [row] = await sql<{ open: boolean }>(
        `SELECT has_database_privilege('public', 'planted', 'CONNECT') AS open`,
      );
      assert.equal(row?.open, false);
    });
  });

  describe('an extension that is in another schema than the requested one', () => {
    test('is no success, whether that schema exists or not', async () => {
      const isIn = (name: string, schema: string) => ({
        errorClass: 'Invalid',
        message: `extension "${name}" is in schema "${schema}"; change spec.forProvider.extensions`,
      });
      const { managed, known } = await stack.pass(database('placed'));
      await sql('CREATE SCHEMA tools; CREATE EXTENSION hstore SCHEMA public', { database: 'placed' });
      const withSchema = (name: string, schema: string) =>
        stack.pass(edited(managed, { extensions: [{ name, schema }] }), known);
      await assert.rejects(withSchema('plpgsql', 'no_such_schema'), isIn('plpgsql', 'pg_catalog'));
      await assert.rejects(withSchema('hstore', 'tools'), isIn('hstore', 'public'));
      await withSchema('plpgsql', 'pg_catalog');
      await withSchema('hstore', 'public');
    });

    test('is no success where the extension itself names its schema', async () => {
      const { managed, known } = await stack.pass(database('fixed'));
      await sql('DROP EXTENSION plpgsql; CREATE SCHEMA tools', { database: 'fixed' });
      const wanted = edited(managed, { extensions: [{ name: 'plpgsql', schema: 'tools' }] });
      await assert.rejects(stack.pass(wanted, known), /"plpgsql" is in schema "pg_catalog"/);
    });
  });

  describe('a renamed database whose resource is deleted', () => {
    test('waits because of its owner role, with the statement that names it back', async () => {
      await stack.pass(database('leaver'));
      await sql('ALTER DATABASE leaver RENAME TO left_over');
      const statement = 'ALTER DATABASE "left_over" RENAME TO "leaver"';
      await assert.rejects(stack.remove(recorded('leaver')), {
        message: `role "leaver" cannot be dropped: it owns database "left_over"; to drop it with its data, name it back: ${statement}; or, to keep the role and all that it owns, set spec.deletionPolicy: Orphan`,
      });
      await sql(statement);
      assert.equal(await stack.remove(recorded('leaver')), false);
      assert.deepEqual(await stack.namesake('leaver'), []);
    });

    test('gets no statement that names it back while another resource has its name', async () => {
      await stack.pass(database('lodger'));
      await sql('ALTER DATABASE lodger RENAME TO moved_out');
      await stack.pass(database('successor', { owner: 'postgres' }, { externalName: 'lodger' }));
      const statement = 'ALTER DATABASE "moved_out" OWNER TO CURRENT_USER';
      await assert.rejects(stack.remove(recorded('lodger')), {
        message: `role "lodger" cannot be dropped: it owns database "moved_out", which is the renamed one of this resource, and another database has its name; to give it to the administrator who runs it: ${statement}; or, to keep the role and all that it owns, set spec.deletionPolicy: Orphan`,
      });
      await sql(statement);
      assert.equal(await stack.remove(recorded('lodger')), false);
      assert.deepEqual(await stack.namesake('lodger'), ['database']);
    });

    test('stays if its owner is another role, and an Event names it', async () => {
      await stack.pass(role('renter'));
      await stack.pass(database('rented', { owner: 'renter' }));
      await sql('ALTER DATABASE rented RENAME TO sublet');
      const managed = deleted(recorded('rented', { owner: 'renter' }));
      const { exists, remains } = await clientOf(managed).observe(managed, undefined, signal);
      assert.deepEqual([exists, remains], [false, 'database "sublet", which has the mark of this resource']);
    });
  });

  const ownerOf = (name: string) => `postgresqldatabase.postgresql.crossplane.io/${name}`;

  describe('a database of another owner', () => {
    test('a foreign database is neither adopted nor changed nor dropped', async () => {
      await sql('CREATE DATABASE heirloom');
      const managed = database('heirloom');
      const unmanaged =
        'database "heirloom" exists and is not managed by postgresqldatabase.postgresql.crossplane.io/heirloom';
      const statement = `run: COMMENT ON DATABASE "heirloom" IS '${markOf(ownerOf('heirloom'))}'`;
      const deletion =
        'kubectl delete of this resource then drops it with its data, because its policies allow Delete';
      const consequence =
        'its owner becomes "heirloom" instead of "postgres", unless you set spec.forProvider.owner';
      await assert.rejects(stack.pass(managed), {
        message: `${unmanaged}; set spec.claimRef first, because the first claim that names this resource gets its data; to adopt it (${deletion}; ${consequence}), ${statement}`,
      });
      await assert.rejects(stack.pass(database('heirloom', { owner: 'postgres' })), {
        message: `${unmanaged}; set spec.claimRef first, because the first claim that names this resource gets its data; to adopt it (${deletion}), ${statement}`,
      });
      // The team of a claim chose the name. Only an administrator may give it a database of another owner.
      const claimRef = { namespace: 'team-a', name: 'shop' };
      const claimed = { ...managed, spec: { ...managed.spec, claimRef, classRef: { name: 'small' } } };
      await assert.rejects(stack.pass(claimed), { message: unmanaged });
      await assert.rejects(clientOf(managed).create(managed, undefined, signal), /is not managed by/);
      await assert.rejects(clientOf(managed).update(managed, undefined, signal), /is not managed by/);
      assert.equal(await stack.remove(managed), false, 'for the managed resource nothing is there');
      assert.deepEqual(await stack.namesake('heirloom'), ['database']);
      await clientOf(managed).delete(deleted(managed), signal);
      assert.deepEqual(await stack.namesake('heirloom'), ['database']);
    });

    test('a foreign role of the same name keeps its password and its rights', async () => {
      await sql(`CREATE ROLE payroll LOGIN CREATEDB PASSWORD 'theirs'`);
      await assert.rejects(stack.pass(database('payroll')), /role "payroll" exists and is not managed by/);
      assert.equal(await refusal({ user: 'payroll', password: 'theirs' }), 'allowed');
      assert.equal(await stack.remove(database('payroll')), false);
      assert.deepEqual(await stack.namesake('payroll'), ['role']);
    });

    test('a database whose comment names the managed resource is adopted, with its owner and access', async () => {
      await sql('CREATE DATABASE inherited');
      await sql(`COMMENT ON DATABASE inherited IS 'services-stack: managed by ${ownerOf('inherited')}'`);
      const { acted, observed, known } = await stack.pass(database('inherited'));
      assert.equal(acted, 'update');
      assert.equal(observed.ready?.status, 'True');
      assert.equal(await refusal(loginOf(known), 'CREATE TABLE t ()'), 'allowed');
    });

    test('a foreign database may be observed, if nothing but that is allowed', async () => {
      await sql('CREATE DATABASE museum');
      const managed = database('museum', {}, { spec: { managementPolicies: ['Observe'] } });
      const observed = await clientOf(managed).observe(managed, undefined, signal);
      assert.equal(observed.ready?.status, 'True');
      assert.equal(observed.status?.owner, 'postgres');
      assert.deepEqual(observed.lateInitialized, {
        owner: 'postgres',
        encoding: 'UTF8',
        lcCollate: 'C',
        lcCType: 'C',
      });
      assert.equal(observed.details?.username, undefined);
    });

    test('the user and password that a person gave for an observed database are in its URI', async () => {
      await sql('CREATE DATABASE gallery');
      await sql(`CREATE ROLE guide LOGIN PASSWORD 'a b/c'`);
      const given = { value: 'a b/c', isApplied: false, username: 'guide' };
      for (const owned of [{}, { owner: 'postgres' }]) {
        const managed = database('gallery', owned, { spec: { managementPolicies: ['Observe'] } });
        const { details } = await clientOf(managed).observe(managed, given, signal);
        const { uri = '', username, database: name } = details ?? {};
        assert.deepEqual([username, name], ['guide', 'gallery']);
        const { pathname, username: user, password } = new URL(String(uri));
        assert.deepEqual([pathname, user, decodeURIComponent(password)], ['/gallery', 'guide', 'a b/c']);
      }
    });
  });

  describe('a database that stayed when its managed resource went', () => {
    test('is taken up again with its data, and a new password', async () => {
      const first = await stack.pass(database('lasting'));
      await sql('CREATE TABLE kept ()', loginOf(first.known));
      const second = await stack.pass(database('lasting'));
      assert.equal(second.acted, 'update');
      assert.equal(second.observed.ready?.status, 'True');
      assert.deepEqual(await sql('SELECT * FROM kept', loginOf(second.known)), []);
      assert.equal(await refusal(loginOf(first.known)), '28P01');
    });
  });

  test('a name that the server keeps for itself is refused with the annotation to set, and can be deleted', async () => {
    const managed = database('named', {}, { externalName: 'postgres' });
    await assert.rejects(stack.pass(managed), (error: Error) => {
      assert.match(error.message, /is reserved/);
      assert.match(error.message, /set another name in the annotation crossplane.io\/external-name/);
      return true;
    });
    assert.equal(await stack.remove(managed), false);
  });

  describe('passwords', () => {
    test('are set though a session of the role holds the database for ever', async () => {
      const { managed, known } = await stack.pass(database('besieged', { connectionLimit: 5 }));
      const thief = await connect(loginOf(known));
      await thief.query('ALTER DATABASE besieged CONNECTION LIMIT 6');
      await thief.query('BEGIN');
      await thief.query('ALTER DATABASE besieged CONNECTION LIMIT 7');
      await clientOf(managed).update(managed, { value: 'after the theft', isApplied: false }, signal);
      const renewed = { ...known, password: 'after the theft' };
      assert.equal(await refusal(loginOf(known)), '28P01');
      assert.equal(await refusal(loginOf(renewed)), 'allowed');
      await assert.rejects(stack.pass(managed, renewed), /another session holds a needed lock/);
      await thief.end();
      assert.equal((await stack.pass(managed, renewed)).observed.isUpToDate, true);
    });
  });

  describe('changes made elsewhere', () => {
    let known: Readonly<Record<string, string>> = {};
    const cases: Record<string, { readonly change: string; readonly check: string }> = {
      'PUBLIC let in': {
        change: 'GRANT CONNECT ON DATABASE drifting TO PUBLIC',
        check: `SELECT NOT has_database_privilege('public', 'drifting', 'CONNECT') AS ok`,
      },
      'the owner shut out': {
        change: 'REVOKE ALL ON DATABASE drifting FROM drifting',
        check: `SELECT bool_and(has_database_privilege('drifting', 'drifting', each)) AS ok
                FROM unnest(ARRAY['CONNECT', 'CREATE', 'TEMPORARY']) each`,
      },
      'a role that may do more': {
        change: 'ALTER ROLE drifting SUPERUSER CREATEDB',
        check: `SELECT NOT rolsuper AND NOT rolcreatedb AS ok FROM pg_roles WHERE rolname = 'drifting'`,
      },
      'a mark that the owner removed': {
        change: 'SET ROLE drifting; COMMENT ON DATABASE drifting IS NULL',
        check: `SELECT shobj_description(oid, 'pg_database') = '${markOf(ownerOf('drifting'))}' AS ok
                FROM pg_database WHERE datname = 'drifting'`,
      },
      'the mark of the first version on the role': {
        change: `COMMENT ON ROLE drifting IS 'services-stack: managed by ${ownerOf('drifting')}'`,
        check: `SELECT shobj_description(oid, 'pg_authid') = '${markOf(ownerOf('drifting'))}' AS ok
                FROM pg_roles WHERE rolname = 'drifting'`,
      },
    };
    for (const [what, { change, check }] of Object.entries(cases)) {
      test(`are reverted: ${what}`, async () => {
        const wanted = database('drifting', { connectionLimit: 7 });
        const before = await stack.pass(wanted, known);
        known = before.known;
        await sql(change);
        const after = await stack.pass(before.managed, before.known);
        assert.equal(after.acted, 'update');
        assert.equal(after.observed.isUpToDate, true);
        assert.equal(after.observed.ready?.status, 'True');
        assert.deepEqual(await sql(check), [{ ok: true }]);
        assert.equal(await refusal(loginOf(after.known)), 'allowed');
        assert.equal((await stack.pass(after.managed, after.known)).acted, undefined);
      });
    }

    test('a field that PostgreSQL cannot change is reported, and the other fields are changed', async () => {
      const first = await stack.pass(database('fixed', { encoding: 'UTF8' }));
      const edit = edited(first.managed, { encoding: 'LATIN1', connectionLimit: 3 });
      await assert.rejects(
        stack.pass(edit, first.known),
        /cannot change spec.forProvider.encoding from "UTF8" to "LATIN1": PostgreSQL sets it at creation only/,
      );
      const [row] = await sql('SELECT datconnlimit AS n FROM pg_database WHERE datname = $$fixed$$');
      assert.deepEqual(row, { n: 3 });
      assert.equal(await refusal(loginOf(first.known)), 'allowed');
    });
  });

  describe('a connection limit', () => {
    /** As many sessions as the server allows; they are closed again. */
    const sessionsOf = async (login: ReturnType<typeof loginOf>, databases: readonly string[]) => {
      const sessions: Client[] = [];
      const refusals = new Set<string>();
      for (const name of databases) {
        for (let attempt = 0; attempt < 5; attempt++) {
          await connect({ ...login, database: name }).then(
            (session) => sessions.push(session),
            (error: { code?: string }) => refusals.add(error.code ?? String(error)),
          );
        }
      }
      await Promise.all(sessions.map((session) => session.end()));
      return { count: sessions.length, refusals: [...refusals] };
    };

    test('holds in whatever database, and when the owner lifts that of its own', async () => {
      const { managed, known } = await stack.pass(database('greedy', { connectionLimit: 3 }));
      const login = loginOf(known);
      await refusal(login, 'ALTER DATABASE greedy CONNECTION LIMIT -1');
      assert.equal(await refusal(login, 'ALTER ROLE greedy CONNECTION LIMIT -1'), '42501');
      assert.deepEqual(await sessionsOf(login, ['postgres', 'template1', 'greedy']), {
        count: 3,
        refusals: ['53300'],
      });
      const wider = await stack.pass(edited(managed, { connectionLimit: 4 }), known);
      assert.equal(wider.acted, 'update');
      assert.equal((await sessionsOf(login, ['greedy'])).count, 4);
      const unlimited = edited(wider.managed, { connectionLimit: -1 });
      assert.equal((await stack.pass(unlimited, known)).acted, 'update');
      assert.equal((await sessionsOf(login, ['greedy'])).count, 5);
    });
  });

  describe('a database with a given owner', () => {
    test('has no role and no password of its own, and leaves the owner alone when it goes', async () => {
      const owner = await stack.pass(role('librarian'));
      const {
        managed,
        known: details,
        observed,
      } = await stack.pass(database('library', { owner: 'librarian' }));
      assert.equal(observed.ready?.status, 'True');
      assert.equal(details.password, undefined);
      assert.deepEqual(await stack.namesake('library'), ['database']);
      const login = { ...loginOf(owner.known), database: 'library' };
      assert.equal(await refusal(login, 'CREATE TABLE books ()'), 'allowed');
      await assert.rejects(stack.remove(owner.managed), /it owns database "library"/);
      assert.equal(await stack.remove(managed), false);
      assert.equal(await stack.remove(owner.managed), false);
      assert.deepEqual(await stack.namesake('librarian'), []);
    });

    test('that is not resolved yet gets no owner of its own instead', async () => {
      const managed = database('unresolved', { ownerRef: { name: 'nobody' } });
      await assert.rejects(stack.pass(managed), /ownerRef and ownerSelector are not resolved/);
      assert.deepEqual(await stack.namesake('unresolved'), []);
    });
  });
}
