import type { DetailsOf } from '../../package/schema.ts';
import type { Login, ServerCredentials } from '../../package/stack.ts';
import { serverDetails } from '../../package/stack.ts';
import { protocol } from './kinds/v1alpha1/connection.ts';
import type { MySQLUser } from './kinds/v1alpha1/mysql-user.ts';

/** The entries of a connection secret, without the password and the database. `sslmode` names TLS if the user needs it. */
export function connectionDetails(
  credentials: ServerCredentials,
  login: Login & { readonly tls: 'Optional' | 'Required' | undefined },
): DetailsOf<MySQLUser> {
  const details = serverDetails(protocol, credentials, login);
  const { sslmode = 'disable' } = details;
  return { ...details, ...(login.tls === 'Required' && sslmode === 'disable' && { sslmode: 'require' }) };
}
