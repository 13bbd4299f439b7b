import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { SecretShape } from '../../../apis/core/v1alpha1/claim-secret.ts';
import type { Class } from '../../../apis/core/v1alpha1/class.ts';
import { getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import { decodeDetails, encodeDetails, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { claim, claimKind, classKind, classRef, managedKind, secretOf } from '../objects.ts';
import { copyKey, orders, recordOf, sceneOf, settled } from './scene.ts';

const shaped = (shape: SecretShape) => ({ writeConnectionSecretToRef: { name: 'conn', ...shape } });
const url = (text = '{{ password | upper }}') => ({ template: { URL: text } });
const secretWrite = 'update Secret team/conn';
const statusWrite = 'updateStatus FancySQLInstance team/orders';

/** A Bound claim whose Secret has this shape. */
async function boundScene(shape: SecretShape) {
  const scene = sceneOf({ claims: [claim({ ...shaped(shape), classRef: classRef('small') })] });
  const { cluster, process, claimAt } = scene;
  await settled(process, cluster);
  const writes = () => cluster.takeWrites();
  const boundWith = writes();
  const [resource] = cluster.all(managedKind);
  const at = { name: resource?.metadata.name ?? '' };
  return {
    ...scene,
    boundWith,
    async reshape(next: SecretShape) {
      cluster.edit(claimKind, orders, ({ metadata, ...rest }: Claim) => ({
        ...rest,
        metadata: { ...metadata, generation: (metadata.generation ?? 0) + 1 },
        spec: { ...rest.spec, ...shaped(next) },
      }));
      await process.settle();
      return writes();
    },
    async reshapeClass(claimSecret: SecretShape | undefined) {
      cluster.edit(classKind, { name: 'small' }, ({ specTemplate, ...rest }: Class) => {
        const { claimSecret: _former, ...others } = specTemplate;
        return { ...rest, specTemplate: { ...others, ...(claimSecret && { claimSecret }) } };
      });
      await process.settle();
      return writes();
    },
    /** Another password, and more details; the external system has it afterwards. */
    async rotate(password: string, more: Record<string, string> = {}) {
      const key = resource?.spec.writeConnectionSecretToRef ?? copyKey;
      cluster.edit(SecretKind, key, (now) => ({ ...now, data: encodeDetails({ password, ...more }) }));
      await process.settle();
      const early = writes();
      cluster.edit(managedKind, at, (now) => ({
        ...now,
        status: {
          ...(now as { status: object }).status,
          credential: recordOf(password, resource?.metadata.uid),
        },
      }));
      await process.settle();
      return { early, late: writes() };
    },
    synced: () => getCondition(claimAt()?.status?.conditions, 'Synced'),
    secret: () => cluster.get(SecretKind, copyKey),
    writes,
  };
}

describe('a claim with a template', () => {
  test('becomes Bound with the writes of any other claim', async () => {
    const [plain, templated] = await Promise.all([
      boundScene({}),
      boundScene({ ...url(), labels: { a: 'b' } }),
    ]);
    assert.deepEqual(templated.boundWith, plain.boundWith);
    const { password = '', URL } = templated.copied();
    assert.equal(URL, password.toUpperCase());
    assert.deepEqual(templated.secret()?.metadata.labels, { a: 'b' });
  });

  test('gets an edited template with one write of the Secret, and one of the status after it', async () => {
    const { reshape, copied, process } = await boundScene(url());
    assert.deepEqual(await reshape(url('{{ password }}!')), [secretWrite, statusWrite]);
    assert.equal(copied().URL, `${copied().password}!`);
    process.resync(claimKind);
    await process.settle();
    assert.deepEqual(await reshape({}), [secretWrite, statusWrite]);
    assert.equal(copied().URL, undefined);
  });

  test('renders again with a rotation, in the write that copies it', async () => {
    const { rotate, copied } = await boundScene(url());
    assert.deepEqual(await rotate('next'), { early: [], late: [secretWrite] });
    assert.deepEqual(copied(), { password: 'next', URL: 'NEXT' });
  });

  test('has its Secret restored after an edit of rendered entries and labels', async () => {
    const { cluster, process, secret, writes } = await boundScene({ ...url(), labels: { a: 'b' } });
    const before = secret();
    cluster.edit(SecretKind, copyKey, (now) => ({
      ...now,
      metadata: { ...now.metadata, labels: { a: 'c', other: 'tool' } },
      data: encodeDetails({ URL: 'x' }),
    }));
    await process.settle();
    assert.deepEqual(writes(), [secretWrite]);
    assert.deepEqual(secret()?.data, before?.data);
    assert.deepEqual(secret()?.metadata.labels, { a: 'b', other: 'tool' });
  });

  test('reports a missing key, keeps Ready, and ends that when the details have the key', async () => {
    const { reshape, rotate, synced, ready, claimAt, copied, writes } = await boundScene({});
    const wanted = { template: { URL: '{{ password }}@{{ hostname }}', OK: 'ok' } };
    assert.deepEqual(await reshape(wanted), [secretWrite, statusWrite]);
    assert.equal(ready().status, 'True');
    // A person must act, so that tools which read kstatus do not wait.
    assert.equal(getCondition(claimAt()?.status?.conditions, 'Stalled').reason, 'TemplateIncomplete');
    const { status, reason, message } = synced();
    assert.deepEqual(
      { status, reason, message },
      {
        status: 'False',
        reason: 'TemplateIncomplete',
        message:
          'entry URL needs the key "hostname"; the keys are password; correct spec.writeConnectionSecretToRef of the claim',
      },
    );
    assert.deepEqual(Object.keys(copied()), ['password', 'OK']);
    writes();
    const hostname = { hostname: 'db' };
    assert.deepEqual(await rotate('next', hostname), { early: [statusWrite], late: [secretWrite] });
    assert.equal(synced().status, 'True');
    assert.equal(copied().URL, 'next@db');
  });

  test('reports a missing key, and ends that with an edit of the claim', async () => {
    const { reshape, synced } = await boundScene(url('{{ nothing }}'));
    assert.equal(synced().reason, 'TemplateIncomplete');
    assert.deepEqual(await reshape(url('{{ password }}')), [secretWrite, statusWrite]);
    assert.equal(synced().status, 'True');
  });

  test('is not ready if its Secret has no entry at all', async () => {
    const { reshape, ready, copied } = await boundScene({});
    await reshape({ ...url('{{ pasword }}'), only: true });
    assert.deepEqual([copied(), ready().status, ready().reason], [{}, 'False', 'TemplateIncomplete']);
    await reshape({ ...url(), only: true });
    assert.equal(ready().status, 'True');
  });

  test('has no binding for Service Binding if its Secret lacks the type', async () => {
    const { reshape, claimAt } = await boundScene(url());
    const binding = () => claimAt()?.status?.binding;
    assert.deepEqual(binding(), { name: 'conn' });
    await reshape({ ...url(), only: true });
    assert.equal(binding(), undefined);
    await reshape({ template: { type: 'x' }, only: true });
    assert.deepEqual(binding(), { name: 'conn' });
  });
});

test('a Bound claim that names a Secret of another owner keeps the former one as its binding', async () => {
  const { cluster, process, claimAt, ready } = await boundScene({});
  cluster.put(
    SecretKind,
    secretOf({ namespace: 'team', name: 'theirs' }, { data: encodeDetails({ a: 'b' }) }),
  );
  cluster.edit(claimKind, orders, (now: Claim) => ({
    ...now,
    spec: { ...now.spec, writeConnectionSecretToRef: { name: 'theirs' } },
  }));
  await process.settle();
  assert.equal(ready().reason, 'SecretConflict');
  assert.deepEqual(claimAt()?.status?.binding, { name: 'conn' });
});

test('a Bound claim that names a Secret that cannot exist keeps the former one, and says what is wrong', async () => {
  const { cluster, process, claimAt, ready, synced, copied, reshape } = await boundScene({});
  const before = copied();
  const rename = (name: string) =>
    cluster.edit(claimKind, orders, (now: Claim) => ({
      ...now,
      spec: { ...now.spec, writeConnectionSecretToRef: { name } },
    }));
  rename('Bad_Name');
  await process.settle();
  assert.deepEqual([ready().status, ready().reason], ['False', 'InvalidValue']);
  assert.match(
    ready().message ?? '',
    /^no Secret can have the name "Bad_Name": .*; name another in spec\.writeConnectionSecretToRef$/,
  );
  assert.equal(synced().message, ready().message);
  assert.deepEqual(
    [claimAt()?.status?.bindingPhase, claimAt()?.status?.binding],
    ['Bound', { name: 'conn' }],
  );
  assert.deepEqual(copied(), before);
  await reshape({});
  assert.deepEqual([ready().status, synced().status], ['True', 'True']);
});

describe('a class with a template', () => {
  test('renders for a Bound claim with one write, and the claim can replace an entry', async () => {
    const { reshapeClass, reshape, copied } = await boundScene({});
    assert.deepEqual(await reshapeClass({ template: { A: 'a', B: 'b' } }), [secretWrite]);
    assert.deepEqual([copied().A, copied().B], ['a', 'b']);
    assert.deepEqual(await reshapeClass({ template: { A: 'c', B: 'b' } }), [secretWrite]);
    await reshape({ template: { A: 'mine' } });
    assert.deepEqual([copied().A, copied().B], ['mine', 'b']);
    assert.deepEqual(await reshapeClass(undefined), [secretWrite]);
    assert.deepEqual(Object.keys(copied()), ['password', 'A']);
  });

  test('that is deleted leaves the entries, and the claim reports that', async () => {
    const { reshapeClass, reshape, cluster, process, copied, synced, rotate, ready } = await boundScene({});
    await reshapeClass({ template: { A: '{{ password }}' } });
    const { A } = copied();
    const small = cluster.get(classKind, { name: 'small' });
    cluster.delete(classKind, { name: 'small' });
    await process.settle();
    assert.deepEqual([copied().A, ready().status, synced().reason], [A, 'True', 'TemplateIncomplete']);
    await rotate('next');
    assert.deepEqual(copied(), { password: 'next', A });
    assert.match(ready().message ?? '', /small does not exist, .*, also with a former password: A; /);
    await reshape({ template: { B: '{{ password }}' } });
    assert.deepEqual(copied(), { password: 'next', A, B: 'next' });
    await reshape({});
    if (small !== undefined) cluster.put(classKind, small);
    await process.settle();
    assert.deepEqual([copied(), synced().status], [{ password: 'next', A: 'next' }, 'True']);
  });

  test('that is incomplete is reported by its claims', async () => {
    const { reshapeClass, synced } = await boundScene({});
    assert.deepEqual(await reshapeClass(url('{{ nothing }}')), [secretWrite, statusWrite]);
    assert.match(
      synced().message ?? '',
      /; have an administrator correct specTemplate.claimSecret of class small$/,
    );
  });
});

test('a Secret that an older process copied gets its entries back at the start', async () => {
  const { cluster, process, start, secret, writes } = await boundScene(url());
  process.stop();
  const { URL: _rendered, ...details } = decodeDetails(secret());
  cluster.edit(SecretKind, copyKey, (now) => ({ ...now, data: encodeDetails(details) }));
  const next = start();
  await next.settle();
  assert.deepEqual(writes(), [secretWrite]);
  assert.equal(decodeDetails(secret()).URL, details.password?.toUpperCase());
});
