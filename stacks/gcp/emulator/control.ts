import type { Controls } from '../../../package/testing.ts';
import {
  BadFlag,
  faultControls,
  listOf,
  objectOf,
  oneOf,
  text,
  whole,
  wordFlag,
} from '../../../package/testing.ts';
import type { GoogleCloud } from './cloud.ts';
import { roles } from './iam.ts';
import type { OperationFault } from './memorystore/instance-operations.ts';
import { operationVerbs } from './operations.ts';
import type { NewAccount } from './service-accounts.ts';

type Controlled = Pick<GoogleCloud, 'calls' | 'routes' | 'faults' | 'failOperation' | 'createKey'>;

const operationFault = objectOf({
  verb: oneOf(operationVerbs),
  error: objectOf({ code: whole({ min: 1, max: 16 }), message: text, details: listOf(() => {}) }, [
    'code',
    'message',
  ]),
});
const account = objectOf({ name: text, project: text, roles: listOf(oneOf(roles)) });

/** The control requests of this emulator: create keys, inject faults, and count calls. */
export const controlsOf = (cloud: Controlled): Controls => ({
  ...faultControls(cloud, {
    method: oneOf([...new Set(cloud.routes.map(({ method }) => method))]),
    path: oneOf([...new Set(cloud.routes.map(({ path }) => path))]),
  }),
  'POST /_operation-faults'(json) {
    operationFault('a fault of an operation', json);
    cloud.failOperation(json as OperationFault);
  },
  'POST /_keys'(json) {
    account('an account', json);
    return cloud.createKey(newAccount(json as NewAccount));
  },
});

/** Checks a new account. Throws BadFlag, which names the field by `at`: `name` as `--name`. */
export function newAccount(
  wanted: NewAccount,
  at: (field: keyof NewAccount) => string = (field) => field,
): NewAccount {
  const { name = 'crossplane', project = 'example-project', roles: granted = [] } = wanted;
  const form = '6 to 30 lower-case letters, digits and dashes, of which the first is a letter';
  for (const [field, value, what] of [
    ['name', name, 'name of a service account'],
    ['project', project, 'id of a project'],
  ] as const) {
    if (/^[a-z][a-z0-9-]{4,28}[a-z0-9]$/.test(value)) continue;
    throw new BadFlag(`${at(field)}: ${JSON.stringify(value)} is no ${what}: ${form}`);
  }
  for (const role of granted) wordFlag(at('roles'), role, roles);
  return wanted;
}
