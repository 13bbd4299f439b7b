import type { DefinedStack } from '../../package/stack.ts';
import { defineStack, service } from '../../package/stack.ts';
import { awsClient } from './client/aws-client.ts';
import type { CreateAwsClient } from './connect.ts';
import { connectAws } from './connect.ts';
import { dbInstanceServices } from './db-instance/services.ts';
import { instanceClient } from './instance/external-client.ts';
import { InstanceKind } from './kinds/ec2/v1beta1/instance.ts';
import { SubnetKind } from './kinds/ec2/v1beta1/subnet.ts';
import { VPCKind } from './kinds/ec2/v1beta1/vpc.ts';
import { NodeGroupKind } from './kinds/eks/v1beta1/node-group.ts';
import { QueueKind } from './kinds/sqs/v1beta1/queue.ts';
import { ProviderKind } from './kinds/v1alpha3/provider.ts';
import { ProviderConfigKind } from './kinds/v1beta1/provider-config.ts';
import { nodeGroupClient, nodeGroupNames } from './node-group/external-client.ts';
import { queueClient } from './queue/external-client.ts';
import { subnetClient } from './subnet/external-client.ts';
import { vpcClient } from './vpc/external-client.ts';

export interface AwsStackOptions {
  readonly createClient?: CreateAwsClient;
}

/** How long a new resource may be invisible: reads of AWS lag behind writes. */
const creationGraceMs = 60_000;
const assigned = { externalNames: 'assigned', creationGraceMs } as const;
/** Reads of EC2 lag by seconds. A resource that is deleted just after its creation waits for this time. */
const ec2 = { ...assigned, creationGraceMs: 30_000 } as const;

/** AWS: networks, instances, databases, queues, and the nodes of clusters. */
export function createAwsStack({ createClient = awsClient }: AwsStackOptions = {}): DefinedStack {
  return defineStack({
    name: 'aws',
    provider: {
      provider: ProviderKind,
      providerConfig: ProviderConfigKind,
      credentialForm:
        'the lines [default], aws_access_key_id=… and aws_secret_access_key=…, and for temporary credentials aws_session_token=…',
      connect: connectAws(createClient),
    },
    services: [
      service({ ...ec2, managed: VPCKind, external: vpcClient }),
      service({
        ...ec2,
        managed: SubnetKind,
        references: [{ field: 'vpcId', ref: 'vpcIdRef', selector: 'vpcIdSelector', to: VPCKind }],
        external: subnetClient,
      }),
      service({
        ...ec2,
        managed: InstanceKind,
        references: [{ field: 'subnetId', ref: 'subnetIdRef', selector: 'subnetIdSelector', to: SubnetKind }],
        external: instanceClient,
      }),
      ...dbInstanceServices,
      service({ ...assigned, managed: QueueKind, external: queueClient }),
      service({
        managed: NodeGroupKind,
        externalNames: 'deterministic',
        names: nodeGroupNames,
        creationGraceMs,
        references: [
          {
            field: 'subnetIds',
            ref: 'subnetIdRefs',
            selector: 'subnetIdSelector',
            to: SubnetKind,
            multiple: true,
          },
        ],
        external: nodeGroupClient,
      }),
    ],
  });
}

export const awsStack: DefinedStack = createAwsStack();
