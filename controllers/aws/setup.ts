import { ProviderKind } from '../../apis/aws/v1alpha3/provider.ts';
import { ProviderConfigKind } from '../../apis/aws/v1beta1/provider-config.ts';
import type { AwsClient } from '../../clients/aws/aws-client.ts';
import { awsClient } from '../../clients/aws/aws-client.ts';
import type { DefinedStack, Service } from '../author/define-stack.ts';
import { defineStack } from '../author/define-stack.ts';
import type { CreateAwsClient } from './connect.ts';
import { connectAws } from './connect.ts';

export interface AwsStackOptions {
  readonly createClient?: CreateAwsClient;
}

/** AWS: networks and machines, databases, queues, and the nodes of clusters. */
export function createAwsStack({ createClient = awsClient }: AwsStackOptions = {}): DefinedStack {
  const services: readonly Service<AwsClient>[] = [];
  return defineStack({
    name: 'aws',
    provider: {
      provider: ProviderKind,
      providerConfig: ProviderConfigKind,
      connect: connectAws(createClient),
    },
    services,
  });
}

export const awsStack: DefinedStack = createAwsStack();
