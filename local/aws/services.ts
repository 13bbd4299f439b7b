import { ec2 } from './ec2/ec2.ts';
import type { Service } from './service.ts';
import { sts } from './sts/sts.ts';

/** The services of the cloud, unless it is told of others. */
export const allServices = (): readonly Service[] => [sts, ec2];
