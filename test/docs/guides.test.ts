import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { EKS } from '@aws-sdk/client-eks';
import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import { decodeDetails } from '../../apis/core/v1alpha1/secret.ts';
import { exampleAccount } from '../../stacks/aws/emulator/account.ts';
import type { NodeGroup as CloudNodeGroup } from '../../stacks/aws/emulator/eks/node-group.ts';
import type { LocalAws } from '../../stacks/aws/emulator/server.ts';
import { startAws } from '../../stacks/aws/emulator/server.ts';
import type { Queue } from '../../stacks/aws/emulator/sqs/queue.ts';
import type { NodeGroup } from '../../stacks/aws/kinds/eks/v1beta1/node-group.ts';
import { NodeGroupKind } from '../../stacks/aws/kinds/eks/v1beta1/node-group.ts';
import { VaultServer } from '../../testing/vault/server.ts';
import { awsCommandLine } from '../../tools/offline/aws-command-line.ts';
import type { Cluster } from '../cluster/stack-harness.ts';
import { eventually, startCluster } from '../cluster/stack-harness.ts';
import { region, withVpc } from '../stacks/aws/conformance/aws-world.ts';
import { projectRoot } from './project-copy.ts';

const folder = join(projectRoot, 'examples/guides');
const flags = ['--stacks', 'aws', '--poll-interval', '2s'];
const commandLine = await awsCommandLine();

/** The VPC of the guide, which a user created. */
const vpcId = 'vpc-01353cfe93950a8ff';
const saved = withVpc(vpcId);

describe('the guide to managed resources, on a local AWS', () => {
  const vault = new VaultServer({ token: 'put-a-token-here' });
  let aws: LocalAws;
  let cluster: Cluster;

  before(async () => {
    await vault.start();
    aws = await startAws({ saved, provisioningMs: 300, deletionMs: 100 });
    cluster = await startCluster();
    await apply('00-providers');
  });
  after(async () => {
    await cluster?.stop();
    await aws?.stop();
    await vault.stop();
  });

  const kubectl = (...args: readonly string[]): Promise<string> => cluster.kubectl(args);
  const read = (name: string): string => readFileSync(join(folder, `${name}.yaml`), 'utf8');
  /** The values that a reader would fill in: the paths on this machine. */
  const atHome = (yaml: string): string =>
    yaml
      .replaceAll('http://127.0.0.1:18090', aws.url)
      .replaceAll('https://vault.example.com:8200', vault.url);
  const applyText = (yaml: string): Promise<string> => cluster.kubectl(['apply', '-f', '-'], atHome(yaml));
  const apply = (name: string): Promise<string> => applyText(read(name));

  const get = async <M extends KubernetesObject = Managed>(type: string, name: string): Promise<M> =>
    JSON.parse(await kubectl('get', type, name, '-o', 'json')) as M;
  const condition = ({ status }: Managed, type: string): string => {
    const { status: value, reason = '', message = '' } = getCondition(status?.conditions, type);
    return `${value}/${reason}${message && `: ${message}`}`;
  };
  const isGone = (type: string, name: string): Promise<unknown> =>
    eventually(`${type} ${name} is gone`, async () => {
      const left = await kubectl('get', type, name, '--ignore-not-found', '-o', 'name');
      if (left.trim() === '') return true;
      throw new Error(left);
    });

  /** The columns of `kubectl get` in the guide, once the resource is ready. */
  const shown = (type: string, name: string): Promise<Readonly<Record<string, string>>> =>
    eventually(`${type} ${name} is ready`, async () => {
      const [head = '', row = ''] = (await kubectl('get', type, name)).split('\n');
      const names = head.trim().split(/\s+/);
      // A column may be empty, and each begins where its name does.
      const cellOf = (column: string) => row.slice(head.indexOf(column)).split(/\s{2,}/)[0];
      const columns = Object.fromEntries(names.map((column) => [column, cellOf(column)?.trim() ?? '']));
      if (columns.READY === 'True' && columns.SYNCED === 'True') return columns;
      throw new Error(JSON.stringify((await get(type, name)).status));
    });

  const queuesNamed = (name: string) =>
    aws
      .collections<Queue>('sqs/queue')
      .flatMap(([, queues]) => queues.all())
      .filter(({ id, phase }) => id === name && phase !== 'deleting');

  test('a creation without a recorded result stops, as `kubectl describe queue` shows', async () => {
    const first = cluster.startProcess(flags);
    aws.faults.inject({ kind: 'stall', action: 'sqs:CreateQueue' });
    await apply('queue');
    await eventually('the queue is created', async () => queuesNamed('my-sqs-queue').length === 1);
    await first.end('SIGKILL');
    cluster.startProcess(flags);
    const event =
      /^ +Warning +CannotInitializeManagedResource +\S+( \(x\d+ over \S+\))? +managed\/queue\.sqs\.aws\.crossplane\.io +cannot determine creation result - remove the crossplane\.io\/external-create-pending annotation if it is safe to proceed: look for it in the external system; .+$/m;
    const hasEvent = async () => {
      const text = await kubectl('describe', 'queue', 'my-sqs-queue');
      if (event.test(text)) return true;
      throw new Error(text);
    };
    await eventually('the Event', hasEvent);
    // An administrator has checked it: the queue is found by its name and its tags, and is the only one.
    await kubectl('annotate', 'queue', 'my-sqs-queue', 'crossplane.io/external-create-pending-');
    const { 'EXTERNAL-NAME': url } = await shown('queue', 'my-sqs-queue');
    assert.equal(url, `https://sqs.${region}.amazonaws.com/${exampleAccount.id}/my-sqs-queue`);
    assert.equal(queuesNamed('my-sqs-queue').length, 1);
    const { annotations = {} } = (await get('queue', 'my-sqs-queue')).metadata;
    assert.match(annotations['crossplane.io/external-create-succeeded'] ?? '', /^\d{4}-\d\d-\d\dT[\d:]+Z$/);
  });

  test('a VPC has the columns of the guide, and the id that AWS assigned as external name', async () => {
    await apply('vpc');
    const columns = await shown('vpc', 'my-test-vpc');
    assert.deepEqual(Object.keys(columns), ['NAME', 'READY', 'SYNCED', 'EXTERNAL-NAME', 'AGE']);
    assert.match(columns['EXTERNAL-NAME'] ?? '', /^vpc-[0-9a-f]{17}$/);
  });

  test('a Subnet finds its VPC by external name, by name and by labels', async () => {
    for (const name of ['by-external-name', 'by-name-reference', 'by-selector'])
      await apply(`subnet-${name}`);
    await apply('subnet-management-policies');
    const { 'EXTERNAL-NAME': ours } = await shown('vpc', 'my-test-vpc');
    const found: Record<string, string | undefined> = {};
    for (const name of ['by-external-name', 'by-name-reference', 'by-selector', 'management-policies']) {
      await shown('subnet', name);
      const { spec } = await get('subnet', name);
      found[name] = (spec.forProvider as { readonly vpcId?: string }).vpcId;
    }
    const ourVpcs = { 'by-name-reference': ours, 'by-selector': ours, 'management-policies': ours };
    assert.deepEqual(found, { 'by-external-name': vpcId, ...ourVpcs });
  });

  test('an Instance is made with the default ProviderConfig, and with the one that it names', async () => {
    await apply('instance');
    await apply('instance-user-keys');
    for (const name of ['my-instance', 'my-instance-user-keys'])
      await shown('instances.ec2.aws.upbound.io', name);
    await eventually('the ProviderConfig has a user', async () => {
      const { status } = await get('providerconfigs.aws.crossplane.io', 'user-keys');
      return (status as { readonly users?: number } | undefined)?.users === 1;
    });
  });

  test('a ProviderConfig by a text, as the guide prints it, is refused by the API server', async () => {
    const reference = /providerConfigRef:\n {4}name: user-keys/;
    const printed = read('instance-user-keys').replace(reference, 'providerConfigRef: user-keys');
    assert.match(printed, /^ {2}providerConfigRef: user-keys$/m);
    await assert.rejects(applyText(printed), /providerConfigRef/);
  });

  test('a paused resource is not created, and reports it', async () => {
    await apply('instance-paused');
    const type = 'instances.ec2.aws.upbound.io';
    await eventually('it is paused', async () => {
      const synced = condition(await get(type, 'my-rds-instance'), 'Synced');
      if (synced.startsWith('False/ReconcilePaused')) return true;
      throw new Error(synced);
    });
  });

  /** Another user creates clusters. */
  const makeCluster = async (name: string): Promise<void> => {
    const eks = new EKS({ region, endpoint: aws.url, credentials: exampleAccount });
    await eks.createCluster({ name, roleArn: 'arn:aws:iam::123456789012:role/eks', resourcesVpcConfig: {} });
    eks.destroy();
  };
  const groups = () => aws.collections<CloudNodeGroup>('eks/node-group').flatMap(([, all]) => all.all());

  test('a NodeGroup as the guide prints it is taken, and says what it lacks', async () => {
    const printed = read('node-group').replace(/^ {4}# The guide leaves(.|\n)*$/m, '');
    assert.doesNotMatch(printed, /clusterName/);
    await applyText(printed);
    await eventually('it says so', async () => {
      const synced = condition(await get('nodegroup', 'sample-eks-ng'), 'Synced');
      if (/^False\/ReconcileError: spec\.forProvider\.clusterName is needed/.test(synced)) return true;
      throw new Error(synced);
    });
    assert.equal(groups().length, 0);
  });

  test('initProvider counts at the creation only, and an autoscaler’s change is left alone', async () => {
    await makeCluster('guide');
    await apply('node-group');
    await shown('nodegroup', 'sample-eks-ng');
    const [group] = groups();
    assert.deepEqual(group?.item.scalingConfig, { desiredSize: 1, minSize: 1, maxSize: 4 });
    for (const [place, all] of aws.collections<CloudNodeGroup>('eks/node-group')) {
      assert.equal(place.region, region);
      all.drift(group.id, (item) => ({ ...item, scalingConfig: { ...item.scalingConfig, desiredSize: 3 } }));
    }
    await eventually('it is seen', async () => {
      const { status } = await get<NodeGroup>('nodegroup', 'sample-eks-ng');
      return status?.atProvider?.desiredSize === 3;
    });
    assert.equal(groups()[0]?.item.scalingConfig.desiredSize, 3);
    // New limits move it only as far as they must.
    const limits = { spec: { forProvider: { scalingConfig: [{ minSize: 1, maxSize: 2 }] } } };
    const type = `${NodeGroupKind.plural}.${NodeGroupKind.group}`;
    await kubectl('patch', type, 'sample-eks-ng', '--type=merge', '-p', JSON.stringify(limits));
    await eventually('it is within', async () => {
      const { scalingConfig } = groups()[0]?.item ?? {};
      return scalingConfig?.maxSize === 2 && scalingConfig.desiredSize === 2;
    });
    const { spec } = await get('nodegroup', 'sample-eks-ng');
    assert.deepEqual((spec.forProvider as { readonly scalingConfig: unknown }).scalingConfig, [
      { minSize: 1, maxSize: 2 },
    ]);
  });

  const secretIn = async (namespace: string, name: string): Promise<Secret> =>
    JSON.parse(await kubectl('-n', namespace, 'get', 'secret', name, '-o', 'json'));

  const keys = ['port', 'username', 'endpoint', 'password'];
  test('an RDSInstance is called as its object, and its secret has the keys of the guide', async () => {
    await apply('rds-instance');
    const { 'EXTERNAL-NAME': name } = await shown('rdsinstance', 'my-rds-instance');
    assert.equal(name, 'my-rds-instance');
    const described = await kubectl('-n', 'cloud-credentials', 'describe', 'secret', 'rds-secret');
    for (const key of keys) assert.match(described, new RegExp(`^${key}: +\\d+ bytes$`, 'm'));
    assert.match(described, /^port: +4 bytes$/m);
    assert.match(described, /^username: +10 bytes$/m);
  });

  test('a resource gets the name that its annotation has', async () => {
    await kubectl('delete', 'rdsinstance', 'my-rds-instance');
    await isGone('rdsinstance', 'my-rds-instance');
    await apply('rds-instance-custom-name');
    const { 'EXTERNAL-NAME': name } = await shown('rdsinstance', 'my-rds-instance');
    assert.equal(name, 'my-custom-name');
  });

  test('connection details are published, with labels and annotations, and to Vault', async () => {
    const names = ['published', 'published-with-metadata', 'published-to-vault'];
    for (const name of names) await apply(name);
    for (const name of names) await shown('instances.rds.aws.upbound.io', name);
    const { data = {} } = await secretIn('cloud-credentials', 'rds-kubernetes-secret');
    for (const key of keys) assert.ok(data[key], key);
    const { metadata } = await secretIn('cloud-credentials', 'rds-kubernetes-secret-with-metadata');
    assert.equal(metadata.labels?.['label-tag'], 'label-value');
    assert.equal(metadata.annotations?.['annotation-tag'], 'annotation-value');
    const headers = { 'x-vault-token': 'put-a-token-here' };
    const answer = await fetch(`${vault.url}/v1/secret/data/crossplane/rds-kubernetes-secret`, { headers });
    const { data: stored } = (await answer.json()) as { readonly data: Pick<Secret, 'data'> };
    for (const key of keys) assert.ok(stored.data?.[key], key);
  });

  test('docs/aws.md: what its manifests ask for becomes ready', async () => {
    const page = readFileSync(join(projectRoot, 'docs/aws.md'), 'utf8');
    const [access = '', ...manifests] = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(
      ([, yaml = '']) => yaml,
    );
    await applyText(access);
    for (const yaml of manifests) await applyText(yaml);
    await shown('vpc', 'docs-network');
    await kubectl('wait', '--for=condition=Ready', 'postgresqlinstance/docs-invoices', '--timeout=60s');
    await shown('subnet', 'docs-subnet');
    await shown('queue', 'docs-orders');
    const { endpoint = '' } = decodeDetails(await secretIn('aws-credentials', 'docs-orders'));
    assert.match(endpoint, /\/docs-orders$/);
  });

  test('every manifest was applied', () => {
    const applied = readFileSync(import.meta.filename, 'utf8');
    const names = readdirSync(folder).map((file) => file.replace(/\.yaml$/, ''));
    const left = names.filter((name) => {
      const subnet = name.replace(/^subnet-/, '');
      return !applied.includes(`'${name}'`) && !(subnet !== name && applied.includes(`'${subnet}'`));
    });
    assert.deepEqual(left, []);
  });

  test('docs/aws.md: its commands work as they are pasted', {
    skip: !commandLine.isThere && commandLine.reason,
  }, async () => {
    assert.ok(commandLine.isThere);
    const page = readFileSync(join(projectRoot, 'docs/aws.md'), 'utf8');
    const commands = page.match(/(?<=^\$ )(?:export|aws) .*$/gm) ?? [];
    const names = commands.map((command) => /(describe-\S+|^export)/.exec(command)?.[0]);
    assert.deepEqual(names, ['export', 'describe-vpcs', 'describe-db-instances']);
    const script = commands.join('\n').replaceAll('http://127.0.0.1:18090', aws.url);
    const env = { PATH: `${dirname(commandLine.program)}:${process.env.PATH}`, HOME: '/nonexistent' };
    const { stdout, stderr } = await promisify(execFile)('sh', ['-euc', script], { env });
    assert.equal(stderr, '');
    assert.match(stdout, /"CidrBlock": "10\.20\.0\.0\/16"/);
    assert.match(stdout, /"Engine": "postgres"/);
  });
});
