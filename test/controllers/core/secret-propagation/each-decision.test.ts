import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { controllerReference } from '../../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../../apis/core/v1alpha1/secret.ts';
import {
  allowsPropagationTo,
  encodeDetails,
  propagatesFrom,
  SecretKind,
} from '../../../../apis/core/v1alpha1/secret.ts';
import type { propagationDecisions } from '../../../../controllers/core/secret-propagation/decide.ts';
import { secretPropagation } from '../../../../controllers/core/secret-propagation/setup.ts';
import { FakeCluster } from '../cluster-fake.ts';
import { FakeProcess } from '../environment-fake.ts';
import {
  claim,
  claimKind,
  claimRef,
  managed,
  managedKind,
  otherService,
  resourceRef,
  service,
} from '../objects.ts';

const sourceKey = { namespace: 'system', name: 'src' };
const targetKey = { namespace: 'team', name: 'conn' };
const orders = claim({ resourceRef: resourceRef('db') });
const db = managed({ claimRef: claimRef() });
const secret = (metadata: Secret['metadata'], password: string): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'connection.crossplane.io/v1alpha1',
  metadata,
  data: encodeDetails({ password }),
});
const source = secret(
  {
    ...sourceKey,
    ownerReferences: [controllerReference(db)],
    annotations: allowsPropagationTo(targetKey),
  },
  'new',
);
const ownerReferences = [controllerReference(orders)];
const target = secret({ ...targetKey, ownerReferences, annotations: propagatesFrom(sourceKey) }, 'old');
const whole = { claim: orders, managed: db, source, target };
const { source: _source, ...sourceless } = whole;
const { managed: _managed, ...unmanaged } = whole;
const { claim: _claim, ...unclaimed } = whole;

/** For each decision, a world in which the target takes it. */
const worlds: Readonly<Record<(typeof propagationDecisions)[number], Partial<typeof whole>>> = {
  NothingToCopyTo: {},
  NoSource: { ...whole, target: secret({ ...targetKey, ownerReferences }, 'old') },
  SourceMissing: sourceless,
  OtherKind: whole, // as the controller of the other kind sees it
  NoConsent: { ...whole, source: { ...source, metadata: { ...source.metadata, annotations: {} } } },
  SourceNotControlled: unmanaged,
  TargetNotControlled: unclaimed,
  NotBound: { ...whole, claim: claim() },
  TargetImmutable: { ...whole, target: { ...target, immutable: true } },
  InSync: { ...whole, target: { ...target, data: encodeDetails({ password: 'new' }) } },
  CopySecret: whole,
};

describe('secret propagation takes', () => {
  for (const [decision, world] of Object.entries(worlds)) {
    test(decision, async () => {
      const cluster = new FakeCluster();
      if (world.claim !== undefined) cluster.put(claimKind, world.claim);
      if (world.managed !== undefined) cluster.put(managedKind, world.managed);
      if (world.source !== undefined) cluster.put(SecretKind, world.source);
      if (world.target !== undefined) cluster.put(SecretKind, world.target);
      const who = decision === 'OtherKind' ? otherService : service;
      const process = new FakeProcess(cluster, (env) => [secretPropagation(env, who)]);
      const result = await process.reconcile(targetKey);
      assert.equal(result.decision, decision);
    });
  }
});
