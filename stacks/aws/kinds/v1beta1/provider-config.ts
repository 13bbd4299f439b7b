import { z } from 'zod';
import { defineProviderConfig, optional, tagsFromLabels, text } from '../../../../package/schema.ts';

const notUsed = 'Not used: for manifests of older releases.';

/** The address of AWS's services, if it differs from the public one (provider-aws, EndpointConfig). */
export const endpoint = z
  .object({
    url: z
      .object({
        type: z
          .enum(['Static', 'Dynamic'])
          .describe('Static: one URL for all services and regions. Dynamic: a URL for each of them.'),
        static: optional(
          z
            .string()
            .regex(/^https?:\/\//)
            .describe('For Static: the URL, for example http://127.0.0.1:18090.'),
        ),
        dynamic: optional(
          z
            .object({
              protocol: z.enum(['http', 'https']).describe('The protocol of the URL.'),
              host: text(
                'The end of the host name; for EC2 in us-east-1 the full name is ec2.us-east-1.<host>.',
              ),
            })
            .describe('For Dynamic: the parts of the URLs.'),
        ),
      })
      .describe('The URL of requests.'),
    signingRegion: optional(
      text('The region for which requests are signed. Without it: the region of the resource.'),
    ),
    hostnameImmutable: optional(z.boolean().describe(notUsed)),
    partitionId: optional(z.string().describe(notUsed)),
    signingName: optional(z.string().describe(notUsed)),
    signingMethod: optional(z.string().describe(notUsed)),
    source: optional(z.enum(['ServiceMetadata', 'Custom']).describe(notUsed)),
  })
  .describe('The address of the services of AWS. Without it: the public addresses.');

/** Access to one AWS account. */
export const ProviderConfigKind = defineProviderConfig(
  {
    group: 'aws.crossplane.io',
    version: 'v1beta1',
    stack: 'aws',
    description:
      'Access to an AWS account. The credentials are an access key, in the format of a credentials file ([default], aws_access_key_id, aws_secret_access_key, aws_session_token) or as the JSON of `aws iam create-access-key`. With the source InjectedIdentity they are the identity that the environment of the controllers provides. The ProviderConfig named default is used by resources that name no other.',
  },
  { endpoint: optional(endpoint), tagsFromLabels },
);
