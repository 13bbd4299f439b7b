import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { customResourceDefinition } from '../../apis/crd.ts';
import { controlPlaneBinaries } from '../../local/control-plane/binaries.ts';
import { rulesSupport } from '../../local/control-plane/definitions-server-binary.ts';
import { apiErrorIn } from '../../runtime/client/errors.ts';
import { type Case, cases, ForeignKind, objectOf } from '../conformance/table.ts';
import { type Cluster, startCluster } from './stack-harness.ts';

const support = await rulesSupport(await controlPlaneBinaries());
const skip = support.by === 'nobody' && support.reason;

describe('an API server that knows rules judges as those in memory do', { skip }, () => {
  let cluster: Cluster;

  before(async () => {
    cluster = await startCluster({ enforcesRules: true });
    const foreign = customResourceDefinition(ForeignKind, { withRules: true });
    await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(foreign));
    await cluster.kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s']);
  });
  after(() => cluster?.stop());

  /** The object as it is stored, in the end. */
  async function written({ kind, before: former, after: wanted, isStatus = false }: Case, name: string) {
    if (former === undefined) return cluster.client.create(kind, objectOf(kind, name, wanted));
    const { metadata } = await cluster.client.create(kind, objectOf(kind, name, former));
    const { status } = wanted;
    if (isStatus) return cluster.client.patch(kind, metadata, { status }, { subresource: 'status' });
    return cluster.client.replace(kind, { ...objectOf(kind, name, wanted), metadata });
  }

  for (const [index, row] of cases.entries()) {
    const { what, refused, stored } = row;
    test(`${refused === undefined ? 'taken' : 'refused'}: ${what}`, async () => {
      const answer = written(row, `row-${index}`);
      if (refused === undefined) {
        const { apiVersion: _v, kind: _k, metadata: _m, ...fields } = await answer;
        if (stored !== undefined) assert.deepEqual(fields, stored);
        return;
      }
      await assert.rejects(answer, (error) => {
        const { code, reason, message } = apiErrorIn(error) ?? { message: '' };
        assert.deepEqual([code, reason], [422, 'Invalid']);
        assert.ok(
          message.includes(`: ${refused.field}: `) || message.includes(`[${refused.field}: `),
          message,
        );
        assert.ok(message.includes(refused.message), message);
        return true;
      });
    });
  }
});
