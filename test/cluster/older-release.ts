import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { freePort } from '../../local/free-port.ts';
import type { ProjectCopy } from '../docs/project-copy.ts';
import { copyProject, processSources, projectRoot } from '../docs/project-copy.ts';
import type { FancySQLFixture } from './fancysql-fixture.ts';
import { favouriteClassRef } from './fancysql-fixture.ts';
import { eventually } from './stack-harness.ts';

const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
  readonly version: string;
};
const file = 'crds/demo/database.fcp.crossplane.io_favouritedbinstanceclasses.yaml';
const name = 'favouritedbinstanceclasses.database.fcp.crossplane.io';
const kind = 'favouritedbinstanceclasses.v1alpha3.database.fcp.crossplane.io';

/** An older release: its classes have no `namespaceSelector`. */
async function olderRelease(): Promise<ProjectCopy> {
  const copy = await copyProject(processSources);
  await copy.replace('package.json', `"version": "${version}"`, '"version": "0.0.1"');
  await copy.replace('apis/core/v1alpha1/meta.ts', "'specTemplate.namespaceSelector', ", '');
  await copy.replace(file, 'namespaceSelector:', 'formerSelector:');
  await copy.replace(file, `definition-version: ${version}`, 'definition-version: 0.0.1');
  return copy;
}

/** Ends with the definitions of this release. */
export function testOlderRelease(fixtureOf: () => FancySQLFixture): void {
  describe('two releases side by side', () => {
    let fixture: FancySQLFixture;
    let older: ProjectCopy;
    const kubectl = (...args: readonly string[]) => fixture.cluster.kubectl(args);
    const flags = ['--stacks', 'fcp', '--poll-interval', '2s'];
    const hasSelector = async () =>
      (await kubectl('get', 'crd', name, '-o', 'yaml')).includes('namespaceSelector:');
    const claim = (claimName: string) =>
      fixture.claim('team-a', claimName, { classRef: favouriteClassRef('small') });
    const startOlder = () =>
      older.startNode([
        'main.ts',
        '--kubeconfig',
        fixture.cluster.processKubeconfigPath,
        '--leader-elect=false',
        '--install-crds',
        ...flags,
      ]);

    before(async () => {
      older = await olderRelease();
      fixture = fixtureOf();
    });
    after(() => older?.remove());

    test('back: the older release works with the newer definitions, and leaves them', async () => {
      const started = startOlder();
      try {
        await claim('back');
        await fixture.bound('team-a', 'back');
        assert.match(started.output(), /a newer version of this product installed the definition/);
        assert.ok(await hasSelector());
      } finally {
        await started.end('SIGKILL');
      }
    });

    test('forward: the newer release acts on a kind only when its definition has what guards need', async (t) => {
      const start = (more: readonly string[] = []) => {
        const started = fixture.cluster.startProcess([...flags, ...more]);
        t.after(() => started.end('SIGKILL'));
        return started;
      };
      const running = start();
      await claim('before');
      await fixture.bound('team-a', 'before');
      await kubectl('replace', '-f', join(older.directory, file));
      assert.equal(await hasSelector(), false);
      assert.equal(await running.ended, 1);
      assert.match(running.log(), /an older definition of favouritedbinstanceclasses/);

      const [probes, metrics] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
      const page = async (url: string) => (await fetch(`http://${url}`)).text();
      const served = ['--health-probe-bind-address', probes, '--metrics-bind-address', metrics];
      const refusing = start(served);
      await claim('waiting');
      const isRefused = `not acting on ${kind}: its definition on the API server lacks specTemplate.namespaceSelector`;
      await eventually('/readyz names the field', async () =>
        (await page(`${probes}/readyz`)).includes(isRefused),
      );
      const outdated = `services_stack_definition_outdated{kind="${kind}"} 1`;
      await eventually('the metric is 1', async () => (await page(`${metrics}/metrics`)).includes(outdated));
      assert.equal((await fixture.getClaim('team-a', 'waiting'))?.spec.resourceRef, undefined);
      await refusing.end('SIGKILL');

      start(['--install-crds']);
      await fixture.bound('team-a', 'waiting');
      assert.ok(await hasSelector());
    });
  });
}
