import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { freePort } from '../../local/free-port.ts';
import type { ProjectCopy } from '../docs/project-copy.ts';
import { copyProject, processSources } from '../docs/project-copy.ts';
import type { FancySQLFixture } from './fancysql-fixture.ts';
import { favouriteClassRef } from './fancysql-fixture.ts';
import { eventually } from './stack-harness.ts';

const file = 'crds/demo/database.fcp.crossplane.io_favouritedbinstanceclasses.yaml';
const name = 'favouritedbinstanceclasses.database.fcp.crossplane.io';
const retained = 'the definition belongs to another package: it stays as it is';

/** Another package with a higher version, which has a definition of the same name without one of the fields. */
async function otherPackage(): Promise<ProjectCopy> {
  const copy = await copyProject(processSources);
  await copy.replace(file, 'definition-owner: services-stack', 'definition-owner: acme');
  await copy.replace(file, 'definition-version: ', 'definition-version: 9.');
  await copy.replace(file, 'networkId:', 'formerId:');
  return copy;
}

/** Ends with the definitions of this release. */
export function testForeignDefinition(fixtureOf: () => FancySQLFixture): void {
  describe('two packages with a definition of one name', () => {
    let fixture: FancySQLFixture;
    let other: ProjectCopy;
    const flags = ['--stacks', 'fcp', '--poll-interval', '2s'];
    const served = () => fixture.cluster.kubectl(['get', 'crd', name, '-o', 'yaml']);

    before(async () => {
      other = await otherPackage();
      fixture = fixtureOf();
    });
    after(() => other?.remove());

    test('a process of another package leaves the definition, although its version is higher', async () => {
      const kubeconfig = ['--kubeconfig', fixture.cluster.processKubeconfigPath];
      const started = other.startNode([
        'main.ts',
        ...kubeconfig,
        '--leader-elect=false',
        '--install-crds',
        ...flags,
      ]);
      try {
        await eventually('it reports whose it is', async () => started.output().includes(retained));
        assert.match(await served(), /definition-owner: services-stack/);
        assert.match(await served(), /networkId:/);
      } finally {
        await started.end('SIGKILL');
      }
    });

    test('a process names the fields that a foreign definition lacks, works on, and takes it over', async (t) => {
      const start = (...more: readonly string[]) => {
        const started = fixture.cluster.startProcess([...flags, ...more]);
        t.after(() => started.end('SIGKILL'));
        return started;
      };
      await fixture.cluster.kubectl(['replace', '-f', join(other.directory, file)]);
      const probes = `127.0.0.1:${await freePort()}`;
      const running = start('--install-crds', '--health-probe-bind-address', probes);
      const note = `the definition ${name} lacks specTemplate.forProvider.networkId, so the API server drops these fields. It belongs to the package acme 9.`;
      await eventually('/readyz?verbose names the field', async () =>
        (await (await fetch(`http://${probes}/readyz?verbose`)).text()).includes(note),
      );
      // The log is written in turns: it may follow the answer.
      for (const text of [note, retained])
        await eventually('the log says it, too', async () => running.log().includes(text));
      await fixture.claim('team-a', 'foreign', { classRef: favouriteClassRef('small') });
      await fixture.bound('team-a', 'foreign');
      await running.end('SIGKILL');

      const taking = start('--install-crds', '--take-definitions');
      await eventually('the definition is replaced', async () =>
        /definition-owner: services-stack/.test(await served()),
      );
      assert.match(await served(), /networkId:/);
      await taking.end('SIGKILL');
    });
  });
}
