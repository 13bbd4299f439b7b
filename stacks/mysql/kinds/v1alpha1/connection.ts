import { optional, text } from '../../../../package/schema.ts';

/** The connection details of a user of a MariaDB server. */
export const userConnection = {
  type: text('The protocol, as a type of servicebinding.io: mysql.'),
  provider: text('The provider: mysql.'),
  endpoint: text('The host name or IP address of the server.'),
  host: text('The same, for servicebinding.io.'),
  port: text('The port of the server.'),
  sslmode: optional(
    text(
      'Whether and how clients use TLS: disable, require, verify-ca or verify-full, as for the administrator.',
    ),
  ),
  clusterCA: optional(
    text('The certificates to trust, in PEM format, if the server has a private authority.'),
  ),
  username: optional(text('The user.')),
  password: optional(text('The password.')),
  uri: optional(text('All of these in one address, without sslmode and clusterCA.')),
};

/** The connection details of a database. */
export const databaseConnection = { ...userConnection, database: text('The name of the database.') };
