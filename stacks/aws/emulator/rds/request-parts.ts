import type { Snapshot } from '../collection.ts';
import type { StoredInstance } from './db-instance.ts';
import { engines } from './engines.ts';
import type { Parameters } from './parameters.ts';
import { parametersOf } from './parameters.ts';
import { invalidValue } from './problems.ts';

/** The identifier of a new DB instance. Throws AwsProblem for an invalid one. */
export const identifierIn = (parameters: Parameters): string =>
  validIdentifier('DBInstanceIdentifier', parameters.needed('DBInstanceIdentifier'));

/** The identifier that a DB instance is to have; undefined: it keeps its own. Throws AwsProblem for an invalid one. */
export function newIdentifierIn(parameters: Parameters): string | undefined {
  const id = parameters.text('NewDBInstanceIdentifier');
  return id === undefined ? undefined : validIdentifier('NewDBInstanceIdentifier', id);
}

function validIdentifier(name: string, id: string): string {
  if (!/^(?=.{1,63}$)[A-Za-z](-?[A-Za-z0-9])*$/.test(id)) {
    throw invalidValue(
      `The parameter ${name} is not a valid identifier. Identifiers must begin with a letter and contain only ASCII letters, digits, and hyphens. They must not end with a hyphen or contain two consecutive hyphens.`,
    );
  }
  return id.toLowerCase();
}

/** The master password. Throws AwsProblem for an invalid one; its message does not contain the password. */
export function passwordIn(parameters: Parameters, engine: string): string | undefined {
  const password = parameters.text('MasterUserPassword');
  if (password === undefined) return undefined;
  const invalid = 'The parameter MasterUserPassword is not a valid password';
  if (!/^[\x21-\x7e]*$/.test(password) || /[/@" ]/.test(password)) {
    throw invalidValue(`${invalid}. Only printable ASCII characters besides '/', '@', '"', ' ' may be used.`);
  }
  const { longestPassword = 128 } = engines[engine] ?? {};
  if (password.length < 8) throw invalidValue(`${invalid} because it is shorter than 8 characters.`);
  if (password.length > longestPassword) {
    throw invalidValue(`${invalid} because it is longer than ${longestPassword} characters.`);
  }
  return password;
}

export const tagsIn = (parameters: Parameters): StoredInstance['tags'] =>
  Object.fromEntries(
    (parameters.records('Tags', 'Tag') ?? []).map(({ Key, Value }) => {
      if (/^(aws|rds):/.test(String(Key))) throw invalidValue(`Invalid tag key: ${String(Key)}`);
      return [String(Key), String(Value ?? '')];
    }),
  );

/** Whether a DB instance matches the filters of a request. Throws AwsProblem for an unknown filter. */
export function matchesFilters(parameters: Parameters, { id, item }: Snapshot<StoredInstance>): boolean {
  const values: Readonly<Record<string, string>> = {
    'db-instance-id': id,
    'dbi-resource-id': item.resourceId,
    engine: item.settings.Engine,
  };
  return (parameters.records('Filters', 'Filter') ?? []).every((filter) => {
    const accepted = parametersOf(filter).list('Values', 'Value') ?? [];
    const value = values[String(filter.Name)];
    if (value === undefined) throw invalidValue(`Unrecognized filter name: ${String(filter.Name)}`);
    return accepted.includes(value);
  });
}
