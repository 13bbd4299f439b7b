import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { advice } from '../../../apis/core/v1alpha1/advice.ts';
import type { LocalPostgresql } from '../../../local/postgresql.ts';
import { startPostgresql } from '../../../local/postgresql.ts';
import type { FancySQLFixture } from '../fancysql-fixture.ts';
import { startFancySQL } from '../fancysql-fixture.ts';
import type { StackProcess } from '../stack-harness.ts';
import { eventually } from '../stack-harness.ts';
import { awsRows } from './aws-rows.ts';
import { claimRows } from './claim-rows.ts';
import { managedRows } from './managed-rows.ts';
import type { Row } from './player.ts';
import { Place, play } from './player.ts';
import { postgresqlRows } from './postgresql-rows.ts';
import { providerRows } from './provider-rows.ts';

/** Rows play side by side: most of their time is waiting. */
const atOnce = 6;

describe('a reader who does what the product says can use the claim', {
  concurrency: atOnce,
}, () => {
  let fixture: FancySQLFixture;
  let stack: StackProcess;
  let postgresql: LocalPostgresql;
  const places: Place[] = [];

  before(async () => {
    [fixture, postgresql] = await Promise.all([startFancySQL({ provisioningMs: 50 }), startPostgresql()]);
    stack = fixture.cluster.startProcess(['--stacks', 'fcp,ocp,aws,postgresql']);
    await eventually('the process is at work', async () => /stores are synced/.test(stack.log()));
  });
  after(async (context) => {
    await fixture?.stop();
    await postgresql?.dispose();
    await Promise.all(places.flatMap(({ servers }) => servers.map((server) => server.stop())));
    if ('error' in context && context.error) console.error(stack?.log());
  });

  const rows = Object.entries<Row>({
    ...claimRows,
    ...managedRows,
    ...providerRows,
    ...awsRows,
    ...postgresqlRows(() => postgresql),
  });
  for (const [index, [name, row]] of rows.entries()) {
    test(name, async (context) => {
      const at = new Place(fixture, `advice-${index}`);
      places.push(at);
      await fixture.cluster.kubectl(['create', 'namespace', at.namespace]);
      await at.class('small');
      const piece: unknown = Object.hasOwn(advice, name) ? advice[name as keyof typeof advice] : undefined;
      const tookMs = await play(row, at, typeof piece === 'string' ? piece : undefined);
      context.diagnostic(`${(tookMs / 1_000).toFixed(1)} s from the correction`);
    });
  }

  test('a claim that was corrected says nothing of its fault any more', async () => {
    const [corrected] = places;
    assert.ok(corrected);
    const claim = await corrected.find();
    assert.deepEqual(claim?.status?.conditions?.map(({ type, status }) => `${type} ${status}`).toSorted(), [
      'Ready True',
      'Synced True',
    ]);
  });
});
