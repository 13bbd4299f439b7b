import { serverConnection, text } from '../../../../package/schema.ts';

/** Clients of PostgreSQL know `sslmode` in a URI. */
export const protocol = { type: 'postgresql', provider: 'postgresql', hasSslModeInUri: true };

/** The connection details of a role of a PostgreSQL server. */
export const userConnection = serverConnection(protocol);

/** The connection details of a database. */
export const databaseConnection = { ...userConnection, database: text('The name of the database.') };
