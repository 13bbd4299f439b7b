import { AwsProblem } from '../problem.ts';

/* Errors of RDS, with its codes and texts. */

export const invalidValue = (message: string): AwsProblem => new AwsProblem('InvalidParameterValue', message);
export const invalidCombination = (message: string): AwsProblem =>
  new AwsProblem('InvalidParameterCombination', message);
export const invalidState = (message: string): AwsProblem =>
  new AwsProblem('InvalidDBInstanceState', message);
export const missingParameter = (name: string): AwsProblem =>
  new AwsProblem('MissingParameter', `The request must contain the parameter ${name}.`);
export const instanceNotFound = (id: string): AwsProblem =>
  new AwsProblem('DBInstanceNotFound', `DBInstance ${id} not found.`, { status: 404 });
export const instanceExists = (): AwsProblem =>
  new AwsProblem('DBInstanceAlreadyExists', 'DB instance already exists');
export const quotaExceeded = (most: number): AwsProblem =>
  new AwsProblem('InstanceQuotaExceeded', `Cannot create more than ${most} DB instances`);
export const subnetGroupNotFound = (name: string): AwsProblem =>
  new AwsProblem('DBSubnetGroupNotFoundFault', `DB subnet group '${name}' does not exist.`, { status: 404 });
export const parameterGroupNotFound = (name: string): AwsProblem =>
  new AwsProblem('DBParameterGroupNotFound', `DBParameterGroup not found: ${name}`, { status: 404 });
export const optionGroupNotFound = (name: string): AwsProblem =>
  new AwsProblem('OptionGroupNotFoundFault', `Specified OptionGroupName: ${name} not found.`, {
    status: 404,
  });
export const snapshotExists = (name: string): AwsProblem =>
  new AwsProblem(
    'DBSnapshotAlreadyExists',
    `Cannot create the snapshot because a snapshot with the identifier ${name} already exists.`,
  );
