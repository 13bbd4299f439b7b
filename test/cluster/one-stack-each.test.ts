import { after, before, describe } from 'node:test';
import { testAwsDatabases } from './aws-databases.ts';
import { testGoogleCloud } from './gcp.ts';
import { testRetainedResources } from './retained-resources.ts';
import type { Cluster } from './stack-harness.ts';
import { startCluster } from './stack-harness.ts';

/** Suites that share one control plane, each with a process for its own stack. */
describe('on one control plane', () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster();
  });
  after(() => cluster?.stop());

  testAwsDatabases(() => cluster);
  testGoogleCloud(() => cluster);
  // The last one, because it starts the garbage collector of Kubernetes.
  testRetainedResources(() => cluster);
});
