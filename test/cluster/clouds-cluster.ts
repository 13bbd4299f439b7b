import { after } from 'node:test';
import { startCluster } from './stack-harness.ts';

/** A cluster for the suites of several clouds: each starts a process for its own stack. */
export const cluster = await startCluster();
after(() => cluster.stop());
