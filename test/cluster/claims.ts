import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { decodeDetails, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { kubeconfigOfAccount } from '../../local/control-plane/account.ts';
import { freePort } from '../../local/free-port.ts';
import { ProviderKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/provider.ts';
import { ProviderConfigKind } from '../../stacks/demo-clouds/kinds/ocp/v1alpha1/provider.ts';
import { projectRoot } from '../docs/project-copy.ts';
import { objectOf } from '../fakes/object-of.ts';
import type { FancySQLFixture } from './fancysql-fixture.ts';
import { credentialsNamespace, favouriteClassRef } from './fancysql-fixture.ts';
import type { StackProcess } from './stack-harness.ts';
import { difference, eventually } from './stack-harness.ts';

const flags = ['--stacks', 'fcp,ocp'];

/** Starts its own process, so no other one may run. Claims and resources of earlier suites may be there. */
export function testClaims(fixtureOf: () => FancySQLFixture): void {
  describe('claims of two clouds', () => {
    let fixture: FancySQLFixture;
    let stack: StackProcess;

    before(async () => {
      fixture = fixtureOf();
      await fixture.favouriteClass('usual');
      await fixture.ambivalentClass('ambivalent', { cloud: 'other' });
      stack = fixture.cluster.startProcess([...flags, '--poll-interval', '2s', '--log-level', 'debug']);
      // The count of its users is the last thing the process writes before it is at rest.
      await eventually('the process is at work', async () => {
        const config = await fixture.cluster.find(ProviderConfigKind, { name: 'default' });
        return config?.status?.users !== undefined;
      });
    });

    after((context) => {
      if ('error' in context && context.error) console.error(stack?.log());
    });

    /** The exit code of the command, and the fault that it finds; it has the permissions of its kubeconfig. */
    const traced = async (name: string, kubeconfig = fixture.cluster.controlPlane.kubeconfigPath) => {
      const object = ['fancysqlinstance', name, '-n', 'team-a'];
      const words = ['trace', ...object, '--kubeconfig', kubeconfig, '-o', 'json'];
      const plugin = join(projectRoot, 'trace', 'kubectl-services_stack');
      const { code = 0, stdout } = (await promisify(execFile)(plugin, words).catch(
        (error: unknown) => error as { readonly code: number; readonly stdout: string },
      )) as { readonly code?: number; readonly stdout: string };
      return [code, JSON.parse(stdout || '{}').fault?.name];
    };
    /** Of a member of a team, who may read what is in its namespace. */
    const kubeconfigOfTeam = async (): Promise<string> => {
      const { kubectl, controlPlane } = fixture.cluster;
      const of = ['-n', 'team-a'];
      await kubectl([...of, 'create', 'serviceaccount', 'reader']);
      const resources = '--resource=fancysqlinstances.database.crossplane.io,secrets,events';
      await kubectl([...of, 'create', 'role', 'reader', '--verb=get,list', resources]);
      const binding = ['rolebinding', 'reader', '--role=reader', '--serviceaccount=team-a:reader'];
      await kubectl([...of, 'create', ...binding]);
      const path = `${controlPlane.kubeconfigPath}-of-team-a`;
      const account = { namespace: 'team-a', name: 'reader' };
      await writeFile(path, await kubeconfigOfAccount(controlPlane, account), { mode: 0o600 });
      return path;
    };

    test('a claim is provisioned and usable, with a class that it names and with one that a scheduler chooses', async () => {
      const classes = {
        direct: { classRef: favouriteClassRef('usual') },
        selected: { classSelector: { matchLabels: { cloud: 'other' } } },
      };
      for (const [name, choice] of Object.entries(classes)) {
        await fixture.claim('team-a', name, { ...choice, writeConnectionSecretToRef: { name } });
        const { metadata, spec, status } = await fixture.bound('team-a', name);
        const details = decodeDetails(await fixture.cluster.find(SecretKind, { namespace: 'team-a', name }));
        const instances = [fixture.favourite, fixture.other].flatMap((cloud) => cloud.instances());
        const { item } = instances.find((each) => each.item.name === spec.resourceRef?.name) ?? {};
        assert.deepEqual([details.password, details.endpoint], [item?.password, item?.hostname]);
        assert.deepEqual([status?.binding?.name, status?.observedGeneration], [name, metadata.generation]);
      }
    });

    test('trouble of the provider shows on the claim, without secrets, and clears', async () => {
      const { cluster } = fixture;
      const wrong = { credentials: JSON.stringify({ url: fixture.favourite.url, token: 'wrong-token' }) };
      await cluster.create(
        SecretKind,
        { namespace: credentialsNamespace, name: 'wrong' },
        { stringData: wrong },
      );
      const applyProvider = (name: string): Promise<string> => {
        const spec = { credentialsSecretRef: { namespace: credentialsNamespace, name, key: 'credentials' } };
        return cluster.apply(objectOf(ProviderKind, { name: 'shaky' }, { spec }));
      };
      await fixture.favouriteClass('shaky', { template: { providerRef: { name: 'shaky' } } });
      await fixture.claim('team-a', 'unlucky', { classRef: favouriteClassRef('shaky') });
      const says = (pattern: RegExp) =>
        eventually(`the claim says ${pattern}`, async () => {
          const claim = await fixture.getClaim('team-a', 'unlucky');
          const messages = (claim?.status?.conditions ?? []).map(({ message = '' }) => message).join(' ');
          if (pattern.test(messages)) return messages;
          throw new Error(messages);
        });
      await says(/Provider shaky does not exist/);
      assert.deepEqual(await traced('unlucky'), [1, 'missing provider']);
      await applyProvider('nowhere');
      await says(/secret cloud-credentials\/nowhere of Provider shaky does not exist/);
      assert.deepEqual(await traced('unlucky'), [1, 'missing credentials']);
      await applyProvider('wrong');
      assert.doesNotMatch(await says(/token/i), /wrong-token/);
      assert.deepEqual(await traced('unlucky'), [1, 'wrong credentials']);
      const team = await kubeconfigOfTeam();
      assert.deepEqual(await traced('unlucky', team), [1, 'wrong credentials']);
      await applyProvider('favourite');
      await fixture.bound('team-a', 'unlucky');
      assert.deepEqual(await traced('unlucky'), [0, undefined]);
      assert.deepEqual(await traced('unlucky', team), [0, undefined]);
      assert.deepEqual(await traced('nobody'), [2, undefined]);
    });

    test('a restart makes no write at all, and SIGTERM ends the process with 0', async () => {
      const polls = () => fixture.favourite.calls()['GET /v1/instances/{name}'] ?? 0;
      const twiceEach = () => 2 * fixture.favourite.instances().length;
      // A field that a class leaves out is filled in by the first observation after Bound
      // (docs/decisions/0009-late-initialisation.md).
      await eventually('every resource was looked at without a write', async () => {
        const [written, looked] = [await fixture.cluster.writes(), polls()];
        await eventually('each was polled', async () => polls() > looked + twiceEach());
        return Object.keys(difference(written, await fixture.cluster.writes())).length === 0;
      });
      assert.equal(await stack.end(), 0);
      const before = await fixture.cluster.writes();
      const log = ['--log-level', 'debug', '--log-format', 'pretty'];
      const probes = `127.0.0.1:${await freePort()}`;
      const serving = ['--health-probe-bind-address', probes];
      stack = fixture.cluster.startProcess([...flags, '--poll-interval', '1s', ...serving, ...log]);
      await eventually('it is ready', async () => (await fetch(`http://${probes}/readyz`)).ok);
      const polled = polls();
      await eventually('it has polled each resource', async () => polls() > polled + twiceEach());
      assert.deepEqual(difference(before, await fixture.cluster.writes()), {}, stack.log().slice(-20_000));
    });
  });
}
