import memoize from 'lodash/memoize.js';
import { realClock } from '../../runtime/time/clock.ts';
import { awsClient } from '../../stacks/aws/client/aws-client.ts';
import { exampleAccount } from '../../stacks/aws/emulator/account.ts';
import { googleCloudClient } from '../../stacks/gcp/client/google-cloud.ts';
import { parseServiceAccountKey } from '../../stacks/gcp/client/service-account-key.ts';
import { inProcessAws } from '../fakes/in-process-aws.ts';
import { inProcessGoogleCloud } from '../fakes/in-process-google-cloud.ts';
import type { StackName } from './scenario.ts';

/*
 * The official clients are loaded, and look for files of their own, when they are first used. That takes time which no clock
 * of ours tells, and only once in a process: so that every run goes as the first one does, they are used before.
 */

const aws = memoize(async (): Promise<void> => {
  const clock = realClock();
  const { url, dispatcher } = inProcessAws(clock);
  const client = awsClient({
    accessKey: exampleAccount,
    parameters: { region: 'us-east-1', endpoint: { url: { type: 'Static', static: url } } },
    dispatcher,
    clock,
    random: () => 0,
  });
  const { signal } = new AbortController();
  const request = { what: 'look around', isRepeatable: true };
  await client.account(undefined, signal);
  await client.call({ ...request, service: 'ec2', run: (ec2, http) => ec2.describeVpcs({}, http) }, signal);
  await client.call({ ...request, service: 'eks', run: (eks, http) => eks.listClusters({}, http) }, signal);
  await client.call(
    { ...request, service: 'rds', run: (rds, http) => rds.describeDBInstances({}, http) },
    signal,
  );
  await client.call({ ...request, service: 'sqs', run: (sqs, http) => sqs.listQueues({}, http) }, signal);
});

const gcp = memoize(async (): Promise<void> => {
  const clock = realClock();
  const { dispatcher, credentials, parameters } = inProcessGoogleCloud(clock);
  const key = parseServiceAccountKey(credentials);
  const client = googleCloudClient({ ...parameters, key, dispatcher, clock, random: () => 0 });
  await client.pubsub.get('none', new AbortController().signal);
});

/** Once it resolves, whatever these stacks ask for is answered in promises alone. */
export async function haveOfficialClients(stacks: readonly StackName[]): Promise<void> {
  if (stacks.includes('aws')) await aws();
  if (stacks.includes('gcp')) await gcp();
}
