import { annotationKeys, coreAdvice } from '../../package/stack.ts';

/** The advice of the stack's resources and providers. A test does what each piece says (docs/decisions/0059). */
export const advice = {
  mergeGrants: 'put all privileges there, and delete this one',
  matchVersion: (version: string) => `change it, or use a provider whose server runs ${version}`,
  dropUnmarked: (statement: string) => `to drop it with its data, run: ${statement}`,
  keepUnmarked: 'to keep it, set spec.deletionPolicy: Orphan',
  terminateSessions: 'to terminate them, set spec.forProvider.onDelete: TerminateSessions',
  keepOwner: 'unless you set spec.forProvider.owner',
  setOwner: 'set owner',
  handOver: (kind: string, whose: string, statement: string) =>
    `if another ${kind} took the name, rename that one. To hand it to ${whose}, with all that it owns and may do, an administrator of the server runs: ${statement}`,
  dropHandedOver: (database: string, statement: string) =>
    `this resource is being deleted: the statement lets it drop database ${database} with all its data. To drop it, an administrator of the server runs: ${statement}`,
  giveBack: (statement: string) =>
    `if its data is not of another team, an administrator of the server gives it back: ${statement}`,
  followName: (name: string) =>
    `to use it under that name, set the annotation ${annotationKeys.externalName} to ${name}`,
  createElsewhere: `to have an empty one created, ${coreAdvice.setExternalName}`,
  nameBack: (statement: string) => `to name it back, an administrator of the server runs: ${statement}`,
  closeDatabases: (owners: string, statements: readonly string[]) =>
    `run as ${owners}: ${statements.join('; ')}`,
} as const;
