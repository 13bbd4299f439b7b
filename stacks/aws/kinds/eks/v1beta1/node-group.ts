import { z } from 'zod';
import type { ObjectKind } from '../../../../../package/schema.ts';
import {
  defineManaged,
  identity,
  immutable,
  late,
  optional,
  reference,
  selector,
  text,
  texts,
} from '../../../../../package/schema.ts';
import { awsRegion } from '../../region.ts';
import { awsTags } from '../../tags.ts';

const size = (min: number, description: string) => optional(z.int().min(min).describe(description));

/** A list with one object. Terraform writes single objects in this way, and Upjet kept it. */
const block = <S extends z.ZodRawShape>(fields: S, description: string) =>
  z.array(z.object(fields)).min(1).max(1).describe(description);

/** A managed node group of Amazon EKS, with the field names of Upjet's provider. */
export const NodeGroupKind = defineManaged(
  {
    group: 'eks.aws.upbound.io',
    version: 'v1beta1',
    kind: 'NodeGroup',
    plural: 'nodegroups',
    shortNames: ['eksng'],
    isClaimable: false,
    stack: 'aws',
    description:
      'A node group of Amazon EKS: virtual machines that are nodes of a Kubernetes cluster. Its external name is the name of the node group within its cluster.',
  },
  z
    .object({
      region: optional(
        identity(awsRegion('The region of the cluster. Without it: the region of the Provider.')),
      ),
      clusterName: optional(
        identity(text('The name of the EKS cluster of the node group. Required for the creation.')),
      ),
      nodeRoleArn: optional(
        immutable(text('The ARN of the IAM role of the nodes. Required for the creation.')),
      ),
      subnetIds: optional(
        immutable(
          z
            .array(text('The id of a subnet.'))
            .meta({ 'x-kubernetes-list-type': 'set' })
            .describe('The subnets of the nodes. Required for the creation.'),
        ),
      ),
      subnetIdRefs: optional(
        z.array(reference('A Subnet.')).describe('The Subnets whose ids are used as subnetIds.'),
      ),
      subnetIdSelector: optional(selector('Selects the Subnets whose ids are used as subnetIds.')),
      scalingConfig: block(
        {
          desiredSize: size(
            0,
            'The desired number of nodes. If an autoscaler scales the group, set this in initProvider, so that it is used at creation only.',
          ),
          maxSize: size(1, 'The maximum number of nodes.'),
          minSize: size(0, 'The minimum number of nodes.'),
        },
        'The number of nodes. EKS chooses the values that neither forProvider nor initProvider sets.',
      ),
      amiType: optional(
        immutable(
          late(
            text(
              'The type of the AMI, for example AL2023_x86_64_STANDARD. Absent: EKS chooses by the instance types.',
            ),
          ),
        ),
      ),
      capacityType: optional(
        immutable(
          late(
            z
              .enum(['ON_DEMAND', 'SPOT', 'CAPACITY_BLOCK'])
              .describe(
                'The capacity type of the nodes, which decides the price. Default of EKS: ON_DEMAND.',
              ),
          ),
        ),
      ),
      diskSize: optional(
        immutable(
          late(z.int().min(1).describe('The size of a disk in GiB. Default of EKS: 20, for Windows 50.')),
        ),
      ),
      instanceTypes: optional(
        immutable(
          late(
            z
              .array(text('An instance type, for example t3.medium.'))
              .max(20)
              .describe('The instance types. Default of EKS: t3.medium.'),
          ),
        ),
      ),
      labels: optional(
        texts(
          'Labels that EKS sets on the nodes. If this is set, other labels that EKS has set are removed.',
        ),
      ),
      taint: optional(
        z
          .array(
            z.object({
              key: optional(z.string().min(1).max(63).describe('The key of the taint.')),
              value: optional(z.string().max(63).describe('The value of the taint.')),
              effect: optional(
                z
                  .enum(['NO_SCHEDULE', 'NO_EXECUTE', 'PREFER_NO_SCHEDULE'])
                  .describe('The effect on pods that do not tolerate the taint.'),
              ),
            }),
          )
          .max(50)
          .describe(
            'Taints that EKS sets on the nodes. If this is set, other taints that EKS has set are removed.',
          ),
      ),
      version: optional(
        text(
          'The Kubernetes version of the nodes, for example 1.31. It can only be raised. Absent: the version of the cluster.',
        ),
      ),
      releaseVersion: optional(
        text(
          'The version of the AMI, for example 1.31.3-20241213. Absent: the newest for the Kubernetes version.',
        ),
      ),
      forceUpdateVersion: optional(
        z
          .boolean()
          .describe(
            'Whether nodes are replaced even if a PodDisruptionBudget prevents the eviction of their pods.',
          ),
      ),
      launchTemplate: optional(
        block(
          {
            id: optional(
              text(
                'The id of the template. Set either the id or the name. EKS accepts no other template later.',
              ),
            ),
            name: optional(
              text(
                'The name of the template. Set either the name or the id. EKS accepts no other template later.',
              ),
            ),
            version: optional(
              text(
                'The version of the template, a number. $Latest and $Default are resolved at the creation.',
              ),
            ),
          },
          'The EC2 launch template of the nodes.',
        ),
      ),
      remoteAccess: optional(
        immutable(
          block(
            {
              ec2SshKey: optional(text('The name of the EC2 key pair for SSH access.')),
              sourceSecurityGroupIds: optional(
                z
                  .array(text('The id of a security group.'))
                  .meta({ 'x-kubernetes-list-type': 'set' })
                  .describe('The security groups that may connect. Without them: any address may connect.'),
              ),
            },
            'SSH access to the nodes.',
          ),
        ),
      ),
      updateConfig: optional(
        block(
          {
            maxUnavailable: size(1, 'The maximum number of nodes that are replaced at a time.'),
            maxUnavailablePercentage: optional(
              z
                .int()
                .min(1)
                .max(100)
                .describe('The maximum in percent. Set either maxUnavailable or this field.'),
            ),
          },
          'How nodes are replaced when their version changes.',
        ),
      ),
      tags: optional(awsTags('node group')),
    })
    .describe('The desired state of the node group. Changes made elsewhere are reverted.'),
  {
    atProvider: optional(
      z
        .object({
          arn: optional(text('The Amazon Resource Name.')),
          status: optional(
            text('The state of the node group: CREATING, ACTIVE, UPDATING, DEGRADED and others.'),
          ),
          version: optional(text('The Kubernetes version of the nodes.')),
          releaseVersion: optional(text('The version of the AMI of the nodes.')),
          desiredSize: optional(z.int().describe('The current desired number of nodes.')),
          autoscalingGroups: optional(
            z
              .array(text('The name of an Auto Scaling group.'))
              .describe('The Auto Scaling groups that hold the nodes.'),
          ),
        })
        .describe('The state of the node group that EKS reports.'),
    ),
  },
);
export type NodeGroup = ObjectKind<typeof NodeGroupKind>;
