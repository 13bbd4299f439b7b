import { othersShare } from './machine-share.ts';
import { cpuSeconds } from './process-usage.ts';
import type { Scene } from './scene.ts';

/** The resources used during a measurement. */
export interface Usage {
  /** Seconds of CPU of the stack; NaN if none was running. */
  readonly stackSeconds: number;
  /** Seconds of CPU of the API server. */
  readonly apiServerSeconds: number;
  /** Share of the machine that others used, from 0 to 1. */
  readonly others: number;
}

/** Begins to measure; `pid`: of the stack, if one runs. Answers with what tells how much was used since. */
export async function startMeter({ fixture }: Scene, pid?: number): Promise<() => Usage> {
  const { apiServer, etcd } = await fixture.cluster.controlPlane.pids();
  const ours = [apiServer, etcd, process.pid];
  const read = () => ({ stack: cpuSeconds(pid), apiServer: cpuSeconds(apiServer) });
  const share = othersShare(pid === undefined ? ours : [pid, ...ours]);
  const before = read();
  return () => {
    const now = read();
    return {
      stackSeconds: now.stack - before.stack,
      apiServerSeconds: now.apiServer - before.apiServer,
      others: share(),
    };
  };
}
