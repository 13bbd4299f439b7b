import type { Controls } from '../control.ts';
import { faultControls } from '../control.ts';
import type { GoogleCloud } from './cloud.ts';
import { roles } from './iam.ts';
import type { OperationFault } from './memorystore.ts';
import type { NewAccount } from './service-accounts.ts';

type Controlled = Pick<GoogleCloud, 'calls' | 'faults' | 'failOperation' | 'createKey'>;

/** What is no part of Google Cloud, for whoever tries things out with this: keys, faults to come, and what was called. */
export const controlsOf = (cloud: Controlled): Controls => ({
  ...faultControls(cloud),
  'POST /_operation-faults': (json) => cloud.failOperation(json as OperationFault),
  'POST /_keys': (json) => cloud.createKey(newAccount(json as NewAccount)),
});

/** Throws an error that says what no account can have. */
export function newAccount(wanted: NewAccount): NewAccount {
  const { name = 'crossplane', project = 'example-project', roles: granted = [] } = wanted;
  if (!/^[a-z][a-z0-9-]{4,28}[a-z0-9]$/.test(name)) {
    throw new Error(
      `"${name}" is no name of a service account: 6 to 30 lower-case letters, digits and dashes`,
    );
  }
  if (!/^[a-z][a-z0-9-]{4,28}[a-z0-9]$/.test(project)) {
    throw new Error(`"${project}" is no id of a project: 6 to 30 lower-case letters, digits and dashes`);
  }
  const unknown = granted.find((role) => !roles.includes(role));
  if (unknown !== undefined) throw new Error(`"${unknown}" is none of ${roles.join(', ')}`);
  return wanted;
}
