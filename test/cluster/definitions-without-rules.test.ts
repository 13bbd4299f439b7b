import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { controlPlaneBinaries } from '../../local/control-plane/binaries.ts';
import { rulesSupport } from '../../local/control-plane/definitions-server-binary.ts';
import { freePort } from '../../local/free-port.ts';
import type { Cluster } from './stack-harness.ts';
import { eventually, startCluster } from './stack-harness.ts';

const support = await rulesSupport(await controlPlaneBinaries());
const skip = support.by === 'nobody' && support.reason;
const claims = 'fancysqlinstances.database.crossplane.io';
const file = 'database.crossplane.io_fancysqlinstances.yaml';

describe('a definition that was applied without its rules, where the API server knows rules', {
  skip,
}, () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster({ enforcesRules: true });
  });
  after(() => cluster?.stop());

  test('is told of in the log and by /readyz, with the command; and no more once it has them', async () => {
    await cluster.kubectl(['delete', 'crd', claims]);
    await cluster.kubectl(['apply', '-f', join('crds', file)]);
    const health = `127.0.0.1:${await freePort()}`;
    const readyz = async () => {
      const response = await fetch(`http://${health}/readyz?verbose`);
      return { isReady: response.ok, body: await response.text() };
    };
    const flags = ['--stacks', 'fcp', '--health-probe-bind-address', health];
    const process = cluster.startProcess(flags);
    const warning =
      /"level":"warn","msg":"definitions have no rules, .*run \\"kubectl apply -f crds\/with-cel-rules\/\\"/;
    await eventually('the log tells of it', async () => warning.test(process.log()));
    assert.ok(process.log().includes(`"definitions":["${claims}"]`), process.log());
    const { body } = await eventually('it is ready all the same', async () => {
      const answer = await readyz();
      return answer.isReady ? answer : undefined;
    });
    assert.match(body, new RegExp(`^\\[!\\]definitions have no rules: ${claims}; run "kubectl apply`, 'm'));
    assert.equal(await process.end(), 0);

    await cluster.kubectl(['apply', '-f', join('crds', 'with-cel-rules', file)]);
    const next = cluster.startProcess(flags);
    const after = await eventually('the next is ready', async () => {
      const answer = await readyz();
      return answer.isReady ? answer : undefined;
    });
    assert.ok(!after.body.includes('[!]'), after.body);
    assert.equal(await next.end(), 0);
    assert.ok(!next.log().includes('have no rules'), next.log());
  });
});
