import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeIdentity } from '../../../controllers/external-identity.ts';
import { dbInstanceClient } from '../../../stacks/aws/db-instance/external-client.ts';
import { rdsInstanceWords } from '../../../stacks/aws/db-instance/rds-instance-words.ts';
import { rds } from '../../../stacks/aws/emulator/rds/rds.ts';
import { sts } from '../../../stacks/aws/emulator/sts/sts.ts';
import type { RDSInstance } from '../../../stacks/aws/kinds/database/v1beta1/rds-instance.ts';
import { testClock } from '../../../testing/test-clock.ts';
import { inProcessAws } from '../../fakes/in-process-aws.ts';
import { clientOf, region } from './conformance/aws-world.ts';

const managed: RDSInstance = {
  apiVersion: 'database.aws.crossplane.io/v1beta1',
  kind: 'RDSInstance',
  metadata: { name: 'shop' },
  spec: {
    forProvider: {
      region,
      engine: 'postgres',
      dbInstanceClass: 'db.t3.micro',
      allocatedStorage: 20,
      masterUsername: 'masteruser',
    },
  },
};
const { signal } = new AbortController();

test('a renamed instance is found by the resource id in the status', async () => {
  const aws = inProcessAws(testClock(), { services: [sts, rds()] });
  const client = dbInstanceClient(rdsInstanceWords)(clientOf(aws));
  await client.create(managed, undefined, signal);
  const { status } = await client.observe(managed, undefined, signal);
  const externalIdentity = encodeIdentity({ name: 'shop', fields: {} });
  const recorded = { ...managed, status: { ...status, externalIdentity } } as RDSInstance;
  const rename = (from: string, to: string) =>
    clientOf(aws).call(
      {
        ...({ service: 'rds', region, what: 'rename', isRepeatable: false } as const),
        run: (sdk, http) =>
          sdk.modifyDBInstance(
            { DBInstanceIdentifier: from, NewDBInstanceIdentifier: to, ApplyImmediately: true },
            http,
          ),
      },
      signal,
    );
  await rename('shop', 'store');
  const observed = await client.observe(recorded, undefined, signal);
  assert.equal(observed.exists, false);
  assert.match(
    observed.renamed ?? '',
    /^DB instance "shop" was renamed to "store"; to name it back, run in its region: aws rds modify-db-instance --db-instance-identifier store --new-db-instance-identifier shop --apply-immediately\. Or, to have an empty one created/,
  );
  await rename('store', 'shop');
  assert.equal((await client.observe(recorded, undefined, signal)).exists, true);
});
