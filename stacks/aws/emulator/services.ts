import { ec2 } from './ec2/ec2.ts';
import { eks } from './eks/eks.ts';
import type { DatabaseServers } from './rds/database-servers.ts';
import { rds } from './rds/rds.ts';
import type { Service } from './service.ts';
import { sqs } from './sqs/sqs.ts';
import { sts } from './sts/sts.ts';

export interface ServicesOptions {
  /** The databases behind DB instances. Default: none. */
  readonly databases?: DatabaseServers;
  /** How long changes of DB instances take; default 0. */
  readonly modificationMs?: number;
}

/** All services, the default of the emulator. */
export const allServices = ({ databases, modificationMs = 0 }: ServicesOptions = {}): readonly Service[] => [
  sts,
  ec2,
  sqs,
  eks,
  rds({ modificationMs, ...(databases !== undefined && { servers: databases }) }),
];

/** All that these services can be asked for, for example `ec2:CreateVpc`. */
export const actionsOf = (services: readonly Service[]): readonly string[] =>
  services.flatMap(({ name, actions }) => Object.keys(actions).map((action) => `${name}:${action}`));

/** The same, and what stands for all actions of a service. */
export const patternsOf = (actions: readonly string[]): readonly string[] => [
  ...new Set(actions.map((action) => `${action.split(':')[0]}:*`)),
  ...actions,
];
