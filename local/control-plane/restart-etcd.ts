import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** An etcd that ended, to be started again where it was. */
export interface EndedEtcd {
  readonly binary: string;
  readonly dataDir: string;
  /** Where its clients look for it. */
  readonly url: string;
  readonly startTimeoutMs: number;
}

/**
 * Starts an etcd with its previous data and address. envtest-js cannot do that: it takes a free port each time. Resolves when
 * etcd is healthy. Throws an Error with its output if it ends or takes too long.
 */
export async function restartEtcd({ binary, dataDir, url, startTimeoutMs }: EndedEtcd): Promise<void> {
  const flags = {
    'data-dir': dataDir,
    'listen-client-urls': url,
    'advertise-client-urls': url,
    'listen-peer-urls': 'http://127.0.0.1:0',
    'unsafe-no-fsync': 'true',
  };
  const endMs = performance.now() + startTimeoutMs;
  for (;;) {
    const child = spawn(
      binary,
      Object.entries(flags).map(([name, value]) => `--${name}=${value}`),
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    let printed = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-10_000);
    });
    const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
    while (!hasEnded()) {
      if (await isHealthy(url)) return;
      if (performance.now() > endMs) throw new Error(`etcd is not healthy in time:\n${printed}`);
      await sleep(50);
    }
    // The system assigned the port. While no server listens there, it may assign it to a connection of another program.
    const isTaken = printed.includes('address already in use');
    if (!isTaken || performance.now() > endMs) throw new Error(`etcd ended:\n${printed}`);
    await sleep(250);
  }
}

const isHealthy = (url: string): Promise<boolean> =>
  fetch(`${url}/health`).then(
    async (response) => ((await response.json()) as { readonly health?: string }).health === 'true',
    () => false,
  );
