import { optional, text } from '../../../../package/schema.ts';

/** The connection details of a user of a PostgreSQL server. */
export const userConnection = {
  type: text('The protocol, as a type of servicebinding.io: postgresql.'),
  provider: text('The provider: postgresql.'),
  endpoint: text('The host name or IP address of the server.'),
  host: text('The same, for servicebinding.io.'),
  port: text('The port of the server.'),
  sslmode: optional(text('Whether and how clients use TLS, as a parameter of libpq.')),
  clusterCA: optional(
    text('The certificates to trust, in PEM format, if the server has a private authority.'),
  ),
  username: optional(text('The role that may log in.')),
  password: optional(text('The password.')),
  uri: optional(text('All of these in one address, without clusterCA.')),
};

/** The connection details of a database. */
export const databaseConnection = { ...userConnection, database: text('The name of the database.') };
