import { serverConnection, text } from '../../../../package/schema.ts';

/** Clients of MySQL know no `sslmode` in a URI. */
export const protocol = { type: 'mysql', provider: 'mysql', hasSslModeInUri: false };

/** The connection details of a user of a MariaDB server. */
export const userConnection = serverConnection(protocol);

/** The connection details of a database. */
export const databaseConnection = { ...userConnection, database: text('The name of the database.') };
