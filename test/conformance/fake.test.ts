import { after, before, describe } from 'node:test';
import { kubernetesClient } from '../../runtime/client/http-kubernetes-client.ts';
import type { KubernetesClient } from '../../runtime/client/kubernetes-client.ts';
import { realClock } from '../../runtime/time/clock.ts';
import { inProcessClient } from '../../testing/in-process-client.ts';
import { testClock } from '../../testing/test-clock.ts';
import { FakeApiServer } from '../fakes/api-server.ts';
import { EnforcingCluster } from '../fakes/enforcing-cluster.ts';
import { recordedLog } from '../fakes/recorded-log.ts';
import { until } from '../runtime/widgets.ts';
import { testBehaviour } from './behaviour.ts';
import { testJudgement } from './judgement.ts';
import { cases } from './table.ts';

const untilSo = (isSo: () => boolean): Promise<void> => until('the watch has told', isSo);

describe('the cluster in memory is as a real one, asked in the process', () => {
  const client = inProcessClient(new EnforcingCluster(), testClock());
  testJudgement(() => client);
  testBehaviour(() => client, untilSo);
});

describe('the cluster in memory is as a real one, asked over HTTP', () => {
  const server = new FakeApiServer(...new Set(cases.map(({ kind }) => kind)));
  let client: KubernetesClient & { close(): Promise<void> };
  before(async () => {
    await server.start();
    client = kubernetesClient({ kubeConfig: server.kubeConfig(), log: recordedLog(), clock: realClock() });
  });
  after(async () => {
    await client.close();
    await server.stop();
  });
  testJudgement(() => client);
  testBehaviour(() => client, untilSo);
});
