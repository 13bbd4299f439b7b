import type { DetailsOf } from '../../package/schema.ts';
import type { Login } from '../../package/stack.ts';
import { serverDetails } from '../../package/stack.ts';
import type { Credentials } from './client/credentials.ts';
import { protocol } from './kinds/v1alpha1/connection.ts';
import type { PostgreSQLRole } from './kinds/v1alpha1/postgresql-role.ts';

/** The entries of a connection secret, without the password and the database. */
export const connectionDetails = (credentials: Credentials, login: Login): DetailsOf<PostgreSQLRole> => ({
  ...serverDetails(protocol, credentials, login),
});
