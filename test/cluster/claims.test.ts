import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import mapKeys from 'lodash/mapKeys.js';
import omit from 'lodash/omit.js';
import pick from 'lodash/pick.js';
import sum from 'lodash/sum.js';
import { decodeDetails, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { FancySQLInstanceKind } from '../../apis/database/v1alpha1/fancy-sql-instance.ts';
import { FavouriteDBInstanceKind } from '../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import { AmbivalentDBInstanceKind } from '../../apis/ocp/v1alpha1/ambivalent-db-instance.ts';
import { ProviderConfigKind } from '../../apis/ocp/v1alpha1/provider.ts';
import { projectRoot } from '../docs/project-copy.ts';
import { kubeconfigOfAccount } from './account.ts';
import type { FancySQLFixture } from './fancysql-fixture.ts';
import { credentialsNamespace, favouriteClassRef, startFancySQL } from './fancysql-fixture.ts';
import type { StackProcess } from './stack-harness.ts';
import { difference, eventually } from './stack-harness.ts';

describe('claims on a real API server, with the real process and two clouds', () => {
  let fixture: FancySQLFixture;
  let stack: StackProcess;

  before(async () => {
    fixture = await startFancySQL();
    await fixture.favouriteClass('small', { labels: { size: 'small', cloud: 'favourite' }, isDefault: true });
    await fixture.favouriteClass('keep', { template: { reclaimPolicy: 'Retain' } });
    await fixture.ambivalentClass('ambivalent', { size: 'small', cloud: 'other' });
    stack = fixture.cluster.startProcess(['--poll-interval', '2s', '--log-level', 'debug']);
    // The count of its users is the last thing the process writes before it is at rest.
    await eventually('the process is at work', async () => {
      const config = await fixture.cluster.find(ProviderConfigKind, { name: 'default' });
      return config?.status?.users !== undefined;
    });
  });

  after(async (context) => {
    await fixture?.stop();
    if ('error' in context && context.error) console.error(stack?.log());
  });

  const secretOf = async (namespace: string, name: string) =>
    decodeDetails(await fixture.cluster.find(SecretKind, { namespace, name }));
  const gone = (namespace: string, name: string) =>
    eventually(`claim ${namespace}/${name} is gone`, async () => {
      const claim = await fixture.getClaim(namespace, name);
      if (claim === undefined) return true;
      throw new Error(JSON.stringify(claim));
    });
  const deleteClaim = async (namespace: string, name: string) => {
    await fixture.cluster.client.delete(FancySQLInstanceKind, { namespace, name }, {});
    await gone(namespace, name);
  };

  /** The exit code of the command, and the fault that it finds; it has the permissions of its kubeconfig. */
  const traced = async (name: string, kubeconfig = fixture.cluster.controlPlane.kubeconfigPath) => {
    const words = [
      'trace',
      'fancysqlinstance',
      name,
      '-n',
      'team-a',
      '--kubeconfig',
      kubeconfig,
      '-o',
      'json',
    ];
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
    await kubectl([...of, 'create', 'serviceaccount', 'member']);
    const resources = '--resource=fancysqlinstances.database.crossplane.io,secrets,events';
    await kubectl([...of, 'create', 'role', 'member', '--verb=get,list', resources]);
    await kubectl([
      ...of,
      'create',
      'rolebinding',
      'member',
      '--role=member',
      '--serviceaccount=team-a:member',
    ]);
    const path = `${controlPlane.kubeconfigPath}-of-team-a`;
    const account = { namespace: 'team-a', name: 'member' };
    await writeFile(path, await kubeconfigOfAccount(controlPlane, account), { mode: 0o600 });
    return path;
  };

  /** The cost of a claim with a class, in any cloud. */
  const provisioning = {
    'PATCH fancysqlinstances': 1,
    'PATCH fancysqlinstances/status': 1,
    'POST managed': 1,
    'PATCH managed': 1,
    'PATCH managed/status': 2,
    'POST secrets': 2,
    'PATCH secrets': 1,
  };
  /** The health and the users of the two providers, and the finalizer that they get with their first user. */
  const ofProviders = ['providers', 'providerconfigs'].flatMap((plural) => [
    `PATCH ${plural}`,
    `PATCH ${plural}/status`,
  ]);
  /** The writes for a claim, without those of its author and of its provider. */
  const costsOf = ({ 'POST fancysqlinstances': ours, ...theirs }: Readonly<Record<string, number>>) => {
    assert.equal(ours, 1);
    return mapKeys(omit(theirs, ofProviders), (_count, key) =>
      key.replace(/(favourite|ambivalent)dbinstances/, 'managed'),
    );
  };

  test('a claim with classRef is provisioned, usable, and costs 9 writes', async () => {
    await fixture.favouriteClass('complete', {
      template: { forProvider: { fancinessLevel: 3, version: '5.7' } },
    });
    const before = await fixture.cluster.writes();
    await fixture.claim('team-a', 'direct', {
      classRef: favouriteClassRef('complete'),
      writeConnectionSecretToRef: { name: 'direct' },
    });
    const claim = await fixture.bound('team-a', 'direct');
    const writes = difference(before, await fixture.cluster.writes());
    assert.deepEqual(costsOf(writes), provisioning);

    const details = await secretOf('team-a', 'direct');
    const [instance] = fixture.favourite
      .instances()
      .filter(({ item }) => item.name === claim.spec.resourceRef?.name);
    assert.equal(details.password, instance?.item.password);
    assert.equal(details.endpoint, instance?.item.hostname);
    assert.deepEqual(Object.keys(details).toSorted(), [
      'database',
      'endpoint',
      'host',
      'password',
      'port',
      'provider',
      'type',
      'uri',
      'username',
    ]);
    assert.equal(claim.status?.binding?.name, 'direct');
    assert.equal(claim.status?.observedGeneration, claim.metadata.generation);
  });

  test('a claim with a selector costs 10 writes, and schedulers of two clouds agree on one class', async () => {
    const before = await fixture.cluster.writes();
    await fixture.claim('team-a', 'selected', {
      classSelector: {
        matchLabels: { size: 'small' },
        matchExpressions: [{ key: 'cloud', operator: 'Exists' }],
      },
      writeConnectionSecretToRef: { name: 'selected' },
    });
    await fixture.bound('team-a', 'selected');
    const writes = difference(before, await fixture.cluster.writes());
    assert.deepEqual(costsOf(writes), { ...provisioning, 'PATCH fancysqlinstances': 2 });
  });

  test('competing schedulers spread claims over the classes of both clouds, one resource for each', async () => {
    const before = await fixture.cluster.writes();
    const startedMs = performance.now();
    const names = Array.from({ length: 20 }, (_, i) => `spread-${i}`);
    for (const name of names) {
      await fixture.claim('team-b', name, { classSelector: { matchLabels: { size: 'small' } } });
    }
    const claims = await Promise.all(names.map((name) => fixture.bound('team-b', name)));
    const said = sum(Object.values(pick(difference(before, await fixture.cluster.writes()), ofProviders)));
    // Each of the two says how it is, and at most once a second how many use it.
    const most = 4 + 2 * Math.ceil((performance.now() - startedMs) / 1_000);
    assert.ok(said <= most, `two providers said ${said} times how they are, and ${most} are allowed`);
    const kinds = new Set(claims.map(({ spec }) => spec.resourceRef?.kind));
    assert.deepEqual([...kinds].toSorted(), ['AmbivalentDBInstance', 'FavouriteDBInstance']);
    const managed = [
      ...(await fixture.cluster.all(FavouriteDBInstanceKind)),
      ...(await fixture.cluster.all(AmbivalentDBInstanceKind)),
    ].filter(({ spec }) => spec.claimRef?.name?.startsWith('spread-'));
    assert.equal(managed.length, names.length);
    await Promise.all(names.map((name) => deleteClaim('team-b', name)));
  });

  test('trouble of the provider shows on the claim, without secrets, and clears', async () => {
    const wrong = { credentials: JSON.stringify({ url: fixture.favourite.url, token: 'wrong-token' }) };
    await fixture.cluster.client.create(SecretKind, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: credentialsNamespace, name: 'wrong' },
      data: { credentials: Buffer.from(wrong.credentials).toString('base64') },
    });
    const provider = (secret: string) =>
      JSON.stringify({
        apiVersion: 'fcp.crossplane.io/v1alpha3',
        kind: 'Provider',
        metadata: { name: 'shaky' },
        spec: { credentialsSecretRef: { namespace: credentialsNamespace, name: secret, key: 'credentials' } },
      });
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
    await fixture.cluster.kubectl(['apply', '-f', '-'], provider('nowhere'));
    await says(/secret cloud-credentials\/nowhere of Provider shaky does not exist/);
    assert.deepEqual(await traced('unlucky'), [1, 'missing credentials']);
    await fixture.cluster.kubectl(['apply', '-f', '-'], provider('wrong'));
    assert.doesNotMatch(await says(/token/i), /wrong-token/);
    assert.deepEqual(await traced('unlucky'), [1, 'wrong credentials']);
    const team = await kubeconfigOfTeam();
    assert.deepEqual(await traced('unlucky', team), [1, 'wrong credentials']);
    await fixture.cluster.kubectl(['apply', '-f', '-'], provider('favourite'));
    await fixture.bound('team-a', 'unlucky', 70_000);
    assert.deepEqual(await traced('unlucky'), [0, undefined]);
    assert.deepEqual(await traced('unlucky', team), [0, undefined]);
    assert.deepEqual(await traced('nobody'), [2, undefined]);
  });

  test('a restart makes no write at all, and SIGTERM ends the process with 0', async () => {
    const polls = () => fixture.favourite.calls()['GET /v1/instances/{name}'] ?? 0;
    // A field that a class leaves out is filled in by the first observation after Bound
    // (docs/decisions/0009-late-initialisation.md).
    await eventually('every resource was looked at without a write', async () => {
      const [written, looked] = [await fixture.cluster.writes(), polls()];
      await eventually('each was polled', async () => polls() > looked + 12);
      return Object.keys(difference(written, await fixture.cluster.writes())).length === 0;
    });
    assert.equal(await stack.end(), 0);
    const before = await fixture.cluster.writes();
    stack = fixture.cluster.startProcess([
      '--poll-interval',
      '1s',
      '--health-probe-bind-address',
      '127.0.0.1:18190',
      '--log-level',
      'debug',
      '--log-format',
      'pretty',
    ]);
    await eventually('it is ready', async () => (await fetch('http://127.0.0.1:18190/readyz')).ok);
    const polled = polls();
    await eventually('it has polled each resource', async () => polls() > polled + 12);
    assert.deepEqual(difference(before, await fixture.cluster.writes()), {}, stack.log().slice(-20_000));
  });
});
