import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { NamespaceKind } from '../../../apis/core/v1alpha1/namespace.ts';
import type { LocalMariadb } from '../../../local/mariadb.ts';
import { startMariadb } from '../../../local/mariadb.ts';
import { mariadbSupport } from '../../../local/mariadb-binaries.ts';
import type { LocalPostgresql } from '../../../local/postgresql.ts';
import { startPostgresql } from '../../../local/postgresql.ts';
import { withoutPsql } from '../../stacks/postgresql/server/psql.ts';
import type { FancySQLFixture } from '../fancysql-fixture.ts';
import { startFancySQL } from '../fancysql-fixture.ts';
import type { StackProcess } from '../stack-harness.ts';
import { eventually } from '../stack-harness.ts';
import { authorRows, cloudRows, moreAuthorRows } from './author-rows.ts';
import { awsClientRows, awsRows } from './aws-rows.ts';
import { catalogue, catalogues } from './catalogue.ts';
import { claimRows, moreClaimRows } from './claim-rows.ts';
import { gcpClientRows } from './gcp-rows.ts';
import { managedRows, moreManagedRows, vaultClientRows } from './managed-rows.ts';
import { mysqlRows } from './mysql-rows.ts';
import type { Row } from './player.ts';
import { Place, play, pollInterval } from './player.ts';
import { morePostgresqlRows, neighbour, postgresqlClientRows, postgresqlRows } from './postgresql-rows.ts';
import { providerRows } from './provider-rows.ts';
import type { unplayed } from './unplayed.ts';
import type { WatchedReader } from './watched-reader.ts';
import { watchedReader } from './watched-reader.ts';

/** A row for each piece of advice that is not in {@link unplayed}. */
type PlayedRows = Readonly<Record<Exclude<keyof typeof catalogue, keyof typeof unplayed>, Row>>;

/** The namespace of a team that no row is about. */
const neighbours = 'neighbour';

const mariadbBinaries = await mariadbSupport();
const withoutMariadb = mariadbBinaries.by === 'none' && mariadbBinaries.reason;

/** Rows play side by side: most of their time is waiting. */
const atOnce = 6;

describe('a reader who does what the product says can use the claim', { concurrency: atOnce }, () => {
  let fixture: FancySQLFixture;
  let reader: WatchedReader;
  let stack: StackProcess;
  let postgresql: LocalPostgresql;
  let mariadb: LocalMariadb | undefined;
  const places: Place[] = [];

  async function placeOf(namespace: string): Promise<Place> {
    const at = new Place(fixture, namespace, reader);
    places.push(at);
    await fixture.cluster.create(NamespaceKind, { name: at.namespace });
    return at;
  }

  before(async () => {
    [fixture, postgresql] = await Promise.all([startFancySQL({ provisioningMs: 50 }), startPostgresql()]);
    if (mariadbBinaries.by !== 'none') mariadb = await startMariadb({ binaries: mariadbBinaries });
    reader = watchedReader(fixture.cluster.client);
    const flags = ['--stacks', 'fcp,ocp,aws,gcp,mysql,postgresql', '--poll-interval', pollInterval];
    stack = fixture.cluster.startProcess(flags);
    await eventually('the process is at work', async () => /stores are synced/.test(stack.log()));
    if (withoutPsql === false) await neighbour(server, await placeOf(neighbours));
  });
  after(async (context) => {
    reader?.stop();
    await fixture?.stop();
    await postgresql?.dispose();
    await mariadb?.stop();
    await Promise.all(
      places.flatMap(({ servers, rehearsals }) => [...servers, ...rehearsals].map((server) => server.stop())),
    );
    if ('error' in context && context.error) console.error(stack?.log());
  });

  const server = () => postgresql;
  const mariadbServer = () => mariadb as LocalMariadb;
  const pieces: PlayedRows = {
    ...claimRows,
    ...managedRows,
    ...authorRows,
    ...cloudRows,
    ...awsRows,
    ...awsClientRows,
    ...gcpClientRows,
    ...vaultClientRows,
    ...mysqlRows(mariadbServer),
    ...postgresqlRows(server),
    ...postgresqlClientRows(server),
  };
  const withMariadb = mysqlRows(mariadbServer);
  const withPsql = {
    ...postgresqlRows(server),
    ...postgresqlClientRows(server),
    ...morePostgresqlRows(server),
  };
  const mistakes = {
    ...moreClaimRows,
    ...providerRows,
    ...moreManagedRows,
    ...moreAuthorRows,
    ...morePostgresqlRows(server),
  };
  for (const [index, [name, row]] of Object.entries<Row>({ ...pieces, ...mistakes }).entries()) {
    test(name, {
      skip: (name in withPsql && withoutPsql) || (name in withMariadb && withoutMariadb),
    }, async (context) => {
      const at = await placeOf(`advice-${index}`);
      await at.class('small');
      const piece: unknown = new Map(Object.entries(catalogue)).get(name);
      const again = async (): Promise<Place> => {
        const next = await placeOf(`advice-${index}-${places.length}`);
        await next.class('small');
        return next;
      };
      const tookMs = await play(row, at, typeof piece === 'string' ? piece : undefined, again);
      context.diagnostic(`${(tookMs / 1_000).toFixed(1)} s from the correction`);
    });
  }

  test('no two catalogues have the same id', () => {
    const ids = catalogues.flatMap((each) => Object.keys(each));
    assert.deepEqual(ids.toSorted(), Object.keys(catalogue).toSorted());
  });
});
