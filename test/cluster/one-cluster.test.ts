import { after, before, describe } from 'node:test';
import { customResourceDefinition } from '../../apis/crd.ts';
import { testBehaviour } from '../conformance/behaviour.ts';
import { testJudgement } from '../conformance/judgement.ts';
import { ForeignKind } from '../conformance/table.ts';
import { until } from '../runtime/widgets.ts';
import { testEvents } from './events.ts';
import type { Cluster } from './stack-harness.ts';
import { startCluster } from './stack-harness.ts';
import { testWatch } from './watch.ts';

const untilSo = (isSo: () => boolean): Promise<void> => until('the watch has told', isSo, 30_000);

/** Suites that share one control plane, because a start takes seconds, and none of them changes what another one reads. */
describe('on one control plane', () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster();
    const foreign = customResourceDefinition(ForeignKind);
    await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(foreign));
    await cluster.kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s']);
  });
  after(() => cluster?.stop());

  describe('an API server behaves and judges as the cluster in memory does', () => {
    testJudgement(() => cluster.client);
    testBehaviour(() => cluster.client, untilSo);
  });
  testEvents(() => cluster.controlPlane);
  // The last one, because it restarts the API server.
  testWatch(() => cluster.controlPlane);
});
