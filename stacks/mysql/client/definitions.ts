import { advice } from '../advice.ts';
import { MysqlError } from './error.ts';
import type { Session } from './session.ts';
import { quotedName } from './text.ts';

/** A view, routine, trigger or event with a DEFINER. */
export interface Definition {
  /** For example ``view `shop`.`totals` ``. */
  readonly what: string;
  /** The statement that drops it. */
  readonly statement: string;
}

/** The database whose contents do not count among the definitions of a user. */
export interface OwnPlace {
  /** A database that is dropped, too, or whose contents are the user's own. */
  readonly except?: string | undefined;
  /**
   * The user has another owner now, so the events of that database count: they run by themselves, and may set the password
   * of the user.
   */
  readonly isHandedOver?: boolean;
}

/**
 * The error about what a previous user of this name, or a previous owner, defined in other databases. It names those, so a
 * claim shows a different text. `isNameNew`: another name would avoid the error.
 */
export function runsAs(
  name: string,
  defined: readonly Definition[],
  { isNameNew }: { readonly isNameNew: boolean },
): MysqlError {
  const what = defined.map((each) => each.what).join(', ');
  const todo = advice.dropDefinitions(defined.map(({ statement }) => statement));
  return new MysqlError(
    `${what} would run with the rights of user ${quotedName(name)}, as its previous owner defined; ${todo}`,
    {
      code: 'NotOurs',
      ...(isNameNew && { advice: { kinds: ['ChooseExternalName'] } }),
      holder: { by: 'AnotherResource' },
    },
  );
}

/** See {@link Users.definedBy}. */
export async function definitionsOf(
  session: Session,
  name: string,
  { except = '', isHandedOver = false }: OwnPlace,
): Promise<readonly Definition[]> {
  const tables = [
    ["'VIEW'", 'VIEWS', 'TABLE_SCHEMA', 'TABLE_NAME'],
    ['ROUTINE_TYPE', 'ROUTINES', 'ROUTINE_SCHEMA', 'ROUTINE_NAME'],
    ["'TRIGGER'", 'TRIGGERS', 'TRIGGER_SCHEMA', 'TRIGGER_NAME'],
    ["'EVENT'", 'EVENTS', 'EVENT_SCHEMA', 'EVENT_NAME'],
  ] as const;
  const parts = tables.map(
    ([kind, table, schema, column]) =>
      `SELECT ${kind} AS kind, ${schema} AS place, ${column} AS name FROM information_schema.${table}
       WHERE BINARY DEFINER = BINARY ? AND BINARY ${schema} <> BINARY ?`,
  );
  const values = tables.flatMap(([kind]) => [`${name}@%`, isHandedOver && kind === "'EVENT'" ? '' : except]);
  const rows = await session.queryAmongTenants<{ kind: string; place: string; name: string }>(
    `SELECT * FROM (${parts.join(' UNION ALL ')}) found ORDER BY kind, place, name LIMIT 10`,
    values,
  );
  return rows.map(({ kind, place, name: own }) => {
    const path = `${quotedName(place)}.${quotedName(own)}`;
    return { what: `${kind.toLowerCase()} ${path}`, statement: `DROP ${kind} ${path}` };
  });
}
