import { ec2Protocol } from '../query-protocol.ts';
import { ec2Refusals } from '../refusals.ts';
import type { Service } from '../service.ts';
import { instanceActions } from './instances.ts';
import { subnetActions } from './subnets.ts';
import { tagActions } from './tags.ts';
import { vpcActions } from './vpcs.ts';

/** EC2, as far as networks and machines are made and kept with it. */
export const ec2: Service = {
  name: 'ec2',
  protocols: [ec2Protocol({ namespace: 'http://ec2.amazonaws.com/doc/2016-11-15/' })],
  refusals: ec2Refusals,
  actions: { ...vpcActions, ...subnetActions, ...instanceActions, ...tagActions },
};
