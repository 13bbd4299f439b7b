import { defineProvider, optional, tagsFromLabels } from '../../../../package/schema.ts';
import { awsRegion } from '../region.ts';
import { endpoint } from '../v1beta1/provider-config.ts';

/** Access to one AWS account (legacy). */
export const ProviderKind = defineProvider(
  {
    group: 'aws.crossplane.io',
    version: 'v1alpha3',
    stack: 'aws',
    description:
      'Access to an AWS account (legacy). The entry of its Secret holds an access key in the format of a credentials file: [default], aws_access_key_id, aws_secret_access_key.',
  },
  {
    region: optional(awsRegion('The region of resources that name no region.')),
    endpoint: optional(endpoint),
    tagsFromLabels,
  },
);
