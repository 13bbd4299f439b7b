import type { Cases } from './postgresql-place.ts';
import { called } from './postgresql-place.ts';
import { mine } from './postgresql-roles.ts';

export const serverCases: Cases = {
  'the facts of a server': async ({ call }) => {
    await call('serverVersion');
    await call('systemIdentifier');
  },

  'a refused login has a reason': async ({ place, ask, sql }) => {
    await sql("CREATE ROLE idle PASSWORD 'x'");
    const wrong = {
      'the password': { password: 'wrong' },
      'the user': { username: 'nobody' },
      'a user that may not log in': { username: 'idle', password: 'x' },
      'the database': { database: 'nowhere' },
      'a database that takes no connections': { database: 'template0' },
      'the port': { port: 1 },
    };
    for (const [what, credentials] of Object.entries(wrong)) {
      const client = place.clientAs(credentials);
      await ask(`${what}: serverVersion`, () => client.serverVersion());
      await client.close();
    }
    const client = place.clientAs(wrong['the password']);
    for (const method of ['systemIdentifier', 'closeServerDatabases']) {
      await ask(`the password: ${method}`, () => called(client, method, []));
    }
    await ask('the password: roles.create', () => client.roles.create('ann', {}, mine));
    await ask('the password: roles.checkPassword', () => client.roles.checkPassword('idle', 'x'));
    await ask('the password: close', () => client.close());
    await ask('the password: after that', () => client.serverVersion());
  },

  "the server's own databases are closed once, except for roles that existed before": async ({
    call,
    sql,
    login,
  }) => {
    await sql("CREATE ROLE exporter LOGIN PASSWORD 'x'");
    await sql('CREATE ROLE idle');
    await call('roles.create', 'tenant', { login: true }, { ...mine, password: 'x' });
    await call('closeServerDatabases');
    await call('closeServerDatabases');
    for (const user of ['exporter', 'tenant']) {
      for (const database of ['postgres', 'template1']) await login({ user, password: 'x', database });
    }
    await call('roles.drop', 'tenant', mine);
    await sql('GRANT CONNECT ON DATABASE template1 TO PUBLIC');
    await call('closeServerDatabases');
  },

  'an aborted call does nothing': async ({ call, ask, place }) => {
    const signal = AbortSignal.abort(new Error('no more time'));
    await ask('roles.create', () => place.client.roles.create('ann', {}, { ...mine, signal }));
    await ask('databases.observe', () => place.client.databases.observe('shop', { signal }));
    await call('roles.observe', 'ann');
  },
};
