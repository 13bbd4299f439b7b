/**
 * The advice of the stack's resources and providers, and in the errors of servers.
 * A test does what each piece says (docs/decisions/0059).
 */
export const advice = {
  grantPrivileges: (statement: string) => `an administrator with all privileges runs: ${statement}`,
  unlockUser: (statement: string) => `another administrator of the server runs: ${statement}`,
  flushHosts: 'an administrator of the server runs: FLUSH HOSTS',
  allowHost: 'create the user of the credentials for this host, or for %',
  raiseUserLimit: 'raise MAX_USER_CONNECTIONS of that user, or end its sessions',
  joinCluster: 'use a node in the primary component, or bring the nodes together again',
  useMariadb: 'use a MariaDB server',
  moveTables: 'move its tables to a database of another name, and drop the empty one',
  restoreMarks: 'if its table services_stack.marks was lost, restore the table from a dump first',
  freeName: (statement: string) => `if no other cluster is creating it, free the name: ${statement}`,
  dropOtherHosts: (statements: readonly string[]) =>
    `unless it is needed, an administrator of the server runs: ${statements.join('; ')}`,
  dropDefinitions: (statements: readonly string[]) =>
    `once they are not needed, an administrator of the server runs: ${statements.join('; ')}`,
  loadPlugin: 'load it on the server, or change spec.forProvider.passwordPlugin',
  matchFlavour: (flavour: string) => `change it, or use a provider whose server is ${flavour}`,
  closeServer: (statements: readonly string[]) =>
    `an administrator of the server runs: ${statements.join('; ')}`,
} as const;
