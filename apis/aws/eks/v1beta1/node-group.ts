import { z } from 'zod';
import { identity, immutable, late } from '../../../core/marks.ts';
import type { ObjectKind } from '../../../core/schema.ts';
import { optional, text, texts } from '../../../core/schema.ts';
import { defineManaged } from '../../../core/v1alpha1/define-managed.ts';
import { reference, selector } from '../../../core/v1alpha1/fields.ts';
import { awsRegion } from '../../region.ts';
import { awsTags } from '../../tags.ts';

const size = (min: number, description: string) => optional(z.int().min(min).describe(description));

/** Terraform's way to write one object, which Upjet kept: a list of one. */
const block = <S extends z.ZodRawShape>(fields: S, description: string) =>
  z.array(z.object(fields)).min(1).max(1).describe(description);

/** A group of nodes that Amazon EKS manages, in the words of Upjet's provider. */
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
      'A node group of Amazon EKS: machines that are nodes of a Kubernetes cluster. Its external name is that of the node group within its cluster.',
  },
  z
    .object({
      region: optional(
        identity(awsRegion('The region that its cluster is in. Without it: that of the provider.')),
      ),
      clusterName: optional(
        identity(text('The name of the EKS cluster that it belongs to. Needed to create it.')),
      ),
      nodeRoleArn: optional(
        immutable(text('The ARN of the IAM role that the nodes act as. Needed to create it.')),
      ),
      subnetIds: optional(
        immutable(
          z
            .array(text('The id of a subnet.'))
            .meta({ 'x-kubernetes-list-type': 'set' })
            .describe('The subnets that the nodes are in. Needed to create it.'),
        ),
      ),
      subnetIdRefs: optional(
        z.array(reference('One of them.')).describe('The Subnets whose ids are taken as subnetIds.'),
      ),
      subnetIdSelector: optional(selector('Chooses the Subnets whose ids are taken as subnetIds.')),
      scalingConfig: block(
        {
          desiredSize: size(
            0,
            'How many nodes there are to be. Where something else scales the group, say it in initProvider: then it counts at the creation only.',
          ),
          maxSize: size(1, 'How many there may be at most.'),
          minSize: size(0, 'How many there must be at least.'),
        },
        'How many nodes there are. What neither forProvider nor initProvider says is left to EKS.',
      ),
      amiType: optional(
        immutable(late(text('What the nodes run, as AL2023_x86_64_STANDARD. EKS chooses by their types.'))),
      ),
      capacityType: optional(
        immutable(
          late(
            z
              .enum(['ON_DEMAND', 'SPOT', 'CAPACITY_BLOCK'])
              .describe('How the machines are paid for. EKS chooses ON_DEMAND.'),
          ),
        ),
      ),
      diskSize: optional(
        immutable(
          late(z.int().min(1).describe('The size of a disk in GiB. EKS chooses 20, for Windows 50.')),
        ),
      ),
      instanceTypes: optional(
        immutable(
          late(
            z
              .array(text('A type, as t3.medium.'))
              .max(20)
              .describe('Types of machines. EKS chooses t3.medium.'),
          ),
        ),
      ),
      labels: optional(
        texts('Labels that EKS gives the nodes. Where there are any, others that it gave are taken away.'),
      ),
      taint: optional(
        z
          .array(
            z.object({
              key: optional(z.string().min(1).max(63).describe('The key of the taint.')),
              value: optional(z.string().max(63).describe('Its value.')),
              effect: optional(
                z
                  .enum(['NO_SCHEDULE', 'NO_EXECUTE', 'PREFER_NO_SCHEDULE'])
                  .describe('What it does to pods that do not tolerate it.'),
              ),
            }),
          )
          .max(50)
          .describe(
            'Taints that EKS gives the nodes. Where there are any, others that it gave are taken away.',
          ),
      ),
      version: optional(
        text(
          'The version of Kubernetes that the nodes run, as 1.31; it can only be raised. EKS chooses that of the cluster.',
        ),
      ),
      releaseVersion: optional(
        text(
          'The version of the AMI, as 1.31.3-20241213. EKS chooses the newest for the version of Kubernetes.',
        ),
      ),
      forceUpdateVersion: optional(
        z
          .boolean()
          .describe(
            'Whether nodes are replaced although a budget of disruptions keeps pods from leaving them.',
          ),
      ),
      launchTemplate: optional(
        block(
          {
            id: optional(
              text('The id of the template. Either this or its name; EKS does not take another one later.'),
            ),
            name: optional(text('Its name. Either this or its id; EKS does not take another one later.')),
            version: optional(
              text('Its version, a number. $Latest and $Default are looked up at the creation.'),
            ),
          },
          'The launch template of EC2 that machines are made from.',
        ),
      ),
      remoteAccess: optional(
        immutable(
          block(
            {
              ec2SshKey: optional(text('The name of the key pair of EC2 that opens the nodes.')),
              sourceSecurityGroupIds: optional(
                z
                  .array(text('The id of a security group.'))
                  .meta({ 'x-kubernetes-list-type': 'set' })
                  .describe('Whence they can be reached. Without any: from everywhere.'),
              ),
            },
            'How the nodes are reached with SSH.',
          ),
        ),
      ),
      updateConfig: optional(
        block(
          {
            maxUnavailable: size(1, 'How many nodes may be replaced at a time.'),
            maxUnavailablePercentage: optional(
              z.int().min(1).max(100).describe('The same in percent. One of the two.'),
            ),
          },
          'How nodes are replaced when their version changes.',
        ),
      ),
      tags: optional(awsTags('node group')),
    })
    .describe('The node group as it should be. Changes made elsewhere are reverted.'),
  {
    atProvider: optional(
      z
        .object({
          arn: optional(text('Its Amazon Resource Name.')),
          status: optional(
            text('The state of the node group: CREATING, ACTIVE, UPDATING, DEGRADED and others.'),
          ),
          version: optional(text('The version of Kubernetes that the nodes run.')),
          releaseVersion: optional(text('The version of their AMI.')),
          desiredSize: optional(z.int().describe('How many nodes there are to be now.')),
          autoscalingGroups: optional(
            z
              .array(text('The name of an Auto Scaling group.'))
              .describe('The Auto Scaling groups that hold the nodes.'),
          ),
        })
        .describe('The node group as EKS tells of it.'),
    ),
  },
);
export type NodeGroup = ObjectKind<typeof NodeGroupKind>;
