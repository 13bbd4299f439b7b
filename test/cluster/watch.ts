import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { rootCertificates } from 'node:tls';
import { KubeConfig } from '@kubernetes/client-node';
import type { Subscription } from 'rxjs';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { ControlPlane } from '../../local/control-plane/control-plane.ts';
import type { Informers } from '../../runtime/cache/informers.ts';
import { createInformers } from '../../runtime/cache/informers.ts';
import type { Resource } from '../../runtime/cache/resource.ts';
import { isExpired } from '../../runtime/client/errors.ts';
import { kubernetesClient } from '../../runtime/client/http-kubernetes-client.ts';
import { realClock } from '../../runtime/time/clock.ts';
import { testClock } from '../../testing/test-clock.ts';
import { recordedLog } from '../fakes/recorded-log.ts';
import { until } from '../runtime/widgets.ts';
import { clientOf, kubeConfigOf } from './stack-harness.ts';

interface Probe extends KubernetesObject {
  readonly spec?: { readonly size?: number; readonly text?: string };
  readonly status?: { readonly phase?: string };
}
const ProbeKind: Kind<Probe> = {
  group: 'watch.test',
  version: 'v1',
  kind: 'Probe',
  plural: 'probes',
  scope: 'Namespaced',
};
const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: probes.watch.test }
spec:
  group: watch.test
  scope: Namespaced
  names: { plural: probes, singular: probe, kind: Probe }
  versions:
    - name: v1
      served: true
      storage: true
      subresources: { status: {} }
      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
`;
const probe = (name: string, rest: Partial<Probe> = {}): Probe => ({
  apiVersion: 'watch.test/v1',
  kind: 'Probe',
  ...rest,
  metadata: { name, namespace: 'default', ...rest.metadata },
});

/** Restarts the API server. */
export function testWatch(controlPlaneOf: () => ControlPlane): void {
  describe('a watch of a real API server', () => {
    let controlPlane: ControlPlane;
    let client: ReturnType<typeof clientOf>;
    let informers: Informers;
    let probes: Resource<Probe>;
    let running: Subscription;
    const log = recordedLog();
    const names = () =>
      probes.store
        .all()
        .map(({ metadata }) => metadata.name)
        .toSorted();

    before(() => {
      controlPlane = controlPlaneOf();
      client = clientOf(kubeConfigOf(controlPlane.kubeconfig), log);
      informers = createInformers({ client, log, clock: realClock(), random: Math.random });
      probes = informers.resource(ProbeKind);
      running = informers.run$.subscribe({ error: (error) => assert.fail(`run$ failed: ${error}`) });
    });
    after(async () => {
      running?.unsubscribe();
      await client?.close();
    });

    test('a kind that is installed later is found', async () => {
      await until('it says that the kind is missing', () =>
        log.lines.some(({ level, message }) => level === 'warn' && message.includes('not installed')),
      );
      await controlPlane.kubectl(['apply', '-f', '-'], definition);
      await informers.synced(AbortSignal.timeout(20_000));
      assert.deepEqual(names(), []);
    });

    test('a version of the past is expired', async () => {
      const expired = await new Promise<unknown>((resolve) => {
        client
          .watch(ProbeKind, { resourceVersion: '1', timeoutSeconds: 5 })
          .subscribe({ error: resolve, complete: () => resolve('completed') });
      });
      assert.ok(isExpired(expired), `${expired}`);
    });

    test('a restart of the API server loses nothing and repeats nothing', async () => {
      for (const name of ['n0', 'n1']) await probes.create(probe(name));
      const events: string[] = [];
      const listening = probes.store.changes$.subscribe(({ type, object }) =>
        events.push(`${type} ${object.metadata.name}`),
      );
      await until('it has been told of what is there', () => events.length === names().length);
      events.length = 0;
      await controlPlane.stopApiServer();
      await until('it waits', () => informers.states()[0]?.stream.phase === 'waiting');
      await controlPlane.startApiServer();
      await controlPlane.kubectl(['delete', 'probe', 'n1', '--wait=false']);
      await controlPlane.kubectl(['apply', '-f', '-'], JSON.stringify(probe('late')));
      await until('both arrive', () => names().includes('late') && !names().includes('n1'), 40_000);
      // A server that has just started may not know our version any more (410): then a list brings both.
      assert.deepEqual(events.toSorted(), ['added late', 'deleted n1']);
      assert.equal(informers.states()[0]?.isSynced, true);
      listening.unsubscribe();
    });

    test('a CA and a client certificate that are replaced on disk are taken up', async () => {
      const directory = await mkdtemp(join(tmpdir(), 'rotation-'));
      const [ca = '', cert = '', key = ''] = ['ca.crt', 'tls.crt', 'tls.key'].map((name) =>
        join(directory, name),
      );
      const original = kubeConfigOf(controlPlane.kubeconfig);
      const { caData, ...cluster } = original.getCurrentCluster()!;
      const { certData, keyData, ...user } = original.getCurrentUser()!;
      const pem = (base64: string | undefined) => Buffer.from(base64!, 'base64');
      await writeFile(ca, rootCertificates[0]!);
      await writeFile(cert, pem(certData));
      await writeFile(key, pem(keyData));
      const kubeConfig = new KubeConfig();
      kubeConfig.loadFromClusterAndUser(
        { ...cluster, caFile: ca },
        { ...user, certFile: cert, keyFile: key },
      );
      const clock = testClock();
      const elapsing = { ...realClock(), elapsedMs: clock.elapsedMs };
      const rotated = kubernetesClient({ kubeConfig, log, clock: elapsing });
      const list = () => rotated.list(ProbeKind, { limit: 1 });
      await assert.rejects(list(), { name: 'ApiError', code: 0, reason: /CERT|SIGNATURE|ISSUER/ });
      await writeFile(ca, pem(caData));
      clock.stall(2000);
      assert.equal((await list()).items.length, 1);
      await rotated.close();
      await rm(directory, { recursive: true });
    });
  });
}
