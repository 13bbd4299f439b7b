import { z } from 'zod';
import { optional, text } from '../../core/schema.ts';
import { defineProviderConfig } from '../../core/v1alpha1/define-provider.ts';

const notUsed = 'Not used: for manifests of older releases.';

/** Where AWS is, if not at its own addresses (provider-aws, EndpointConfig). */
export const endpoint = z
  .object({
    url: z
      .object({
        type: z
          .enum(['Static', 'Dynamic'])
          .describe('Static: one URL for all services and regions. Dynamic: one made for each.'),
        static: optional(
          z
            .string()
            .regex(/^https?:\/\//)
            .describe('For Static: the URL, as http://127.0.0.1:18090.'),
        ),
        dynamic: optional(
          z
            .object({
              protocol: z.enum(['http', 'https']).describe('How the URL begins.'),
              host: text('What the URL ends with: that of EC2 in us-east-1 is ec2.us-east-1.<host>.'),
            })
            .describe('For Dynamic: what URLs are made of.'),
        ),
      })
      .describe('The URL that requests go to.'),
    signingRegion: optional(
      text('The region that requests are signed for. Without it: the region of the resource.'),
    ),
    hostnameImmutable: optional(z.boolean().describe(notUsed)),
    partitionId: optional(z.string().describe(notUsed)),
    signingName: optional(z.string().describe(notUsed)),
    signingMethod: optional(z.string().describe(notUsed)),
    source: optional(z.enum(['ServiceMetadata', 'Custom']).describe(notUsed)),
  })
  .describe('Where AWS is reached. Without it: at its own addresses.');

/** Access to one AWS account. */
export const ProviderConfigKind = defineProviderConfig(
  {
    group: 'aws.crossplane.io',
    version: 'v1beta1',
    stack: 'aws',
    description:
      'Access to an AWS account. Its credentials are an access key, as a credentials file has it ([default], aws_access_key_id, aws_secret_access_key, aws_session_token) or as JSON of `aws iam create-access-key`, or of the source InjectedIdentity what the place that the controllers run in gives them. The one named default serves whoever names none.',
  },
  { endpoint: optional(endpoint) },
);
