import isEqual from 'lodash/isEqual.js';
import { escapeIdentifier, escapeLiteral } from 'pg';
import { PostgresqlError } from './error.ts';

type Configuration = Readonly<Record<string, string>>;

/**
 * Parameters with a list of names as value. Each name is quoted (variable_is_guc_list_quote in
 * src/bin/pg_dump/dumputils.c).
 */
const listParameters = new Set([
  'local_preload_libraries',
  'search_path',
  'session_preload_libraries',
  'temp_tablespaces',
]);

/** Whether the server's settings equal the wanted ones. Lists may be written differently. */
export function isSameConfiguration(observed: Configuration, wanted: Configuration): boolean {
  const comparable = (configuration: Configuration) =>
    Object.fromEntries(
      Object.entries(configuration).map(([name, value]) => {
        const parameter = name.toLowerCase();
        return [parameter, listParameters.has(parameter) ? elementsOf(value) : value];
      }),
    );
  return isEqual(comparable(observed), comparable(wanted));
}

/** The ALTER ROLE statements that lead from `observed` to `wanted`. */
export function configurationStatements(
  role: string,
  observed: Configuration,
  wanted: Configuration,
): readonly string[] {
  const alter = `ALTER ROLE ${escapeIdentifier(role)}`;
  const names = new Set(Object.keys(wanted).map((name) => name.toLowerCase()));
  const resets = Object.keys(observed)
    .filter((name) => !names.has(name.toLowerCase()))
    .map((name) => `${alter} RESET ${quotedParameter(name)}`); // also settings that the role made itself
  const sets = Object.entries(wanted)
    .filter(([name, value]) => {
      const before = Object.entries(observed).find(([other]) => other.toLowerCase() === name.toLowerCase());
      return before === undefined || !isSameConfiguration({ [name]: before[1] }, { [name]: value });
    })
    .map(([name, value]) => `${alter} SET ${parameterName(name)} TO ${settingOf(name, value)}`);
  return [...resets, ...sets];
}

function settingOf(name: string, value: string): string {
  if (!listParameters.has(name.toLowerCase())) return escapeLiteral(value);
  const elements = elementsOf(value);
  return elements.length === 0 ? `''` : elements.map(escapeLiteral).join(', ');
}

const quotedParameter = (name: string): string => name.split('.').map(escapeIdentifier).join('.');

/** Letters, digits and dots (parameters of extensions). Other texts cannot be a parameter. */
function parameterName(name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_$]*(\.[A-Za-z_][A-Za-z0-9_$]*)*$/.test(name)) {
    return quotedParameter(name);
  }
  throw new PostgresqlError(`configuration parameter ${JSON.stringify(name)} is not a name`, {
    code: 'Invalid',
  });
}

/** Like SplitIdentifierString: separated by commas, "quoted" or else folded to lower case. */
function elementsOf(list: string): readonly string[] {
  const elements = list.match(/\s*(?:"(?:[^"]|"")*"|[^,"]+)\s*(?:,|$)/g) ?? [];
  return elements
    .map((element) => element.replace(/,$/, '').trim())
    .filter((element) => element !== '')
    .map((element) =>
      element.startsWith('"') ? element.slice(1, -1).replaceAll('""', '"') : element.toLowerCase(),
    )
    .filter((element) => element !== '');
}
