import { isNowhere } from '../../package/http.ts';
import type { Connect, Environment, Managed, ProviderKinds } from '../../package/stack.ts';
import { cloudClients } from '../../package/stack.ts';
import type { AwsClient, AwsClientOptions } from './client/aws-client.ts';
import { parseAwsCredentials } from './client/aws-credentials.ts';
import type { AwsEndpoint } from './client/aws-endpoint.ts';
import { withLabelTags } from './label-tags.ts';
import { regionOf } from './region-of.ts';

/** The fields of AWS's providers without the credentials. */
export interface AwsParameters {
  readonly region?: string;
  readonly endpoint?: AwsEndpoint;
  readonly tagsFromLabels?: readonly string[];
}

export type CreateAwsClient = (options: AwsClientOptions) => AwsClient;

/** Connects managed resources with AWS, by the access keys of their providers, or by injected credentials. */
export const connectAws = (
  createClient: CreateAwsClient,
): ((env: Environment, kinds: ProviderKinds<AwsParameters>) => Connect<AwsClient>) =>
  cloudClients(createClient, {
    parse: parseAwsCredentials,
    querySystem,
    check: (aws, signal) => aws.checkCredentials(signal),
    injected: {},
    withTags: (managed, { tagsFromLabels }) => withLabelTags(managed, tagsFromLabels),
  });

/**
 * The account, and the region of the requests if it differs from the resource's: another region has another resource.
 */
async function querySystem(aws: AwsClient, managed: Managed, signal: AbortSignal): Promise<string> {
  const given = regionOf(managed);
  const account = await aws.account(given, signal).catch(async (error: unknown) => {
    // An account is the same in all regions. If a region does not exist, the calls for the resource report it, in the
    // same way at each start.
    if (!isNowhere(error)) throw error;
    const atHome = await aws.accountAtHome(given, signal);
    if (atHome === undefined) throw error;
    return atHome;
  });
  const region = aws.regionLedTo(given);
  // guard: otherwise an edit of the provider leads to another region
  return region === given ? `aws ${account}` : `aws ${account} ${region}`;
}
