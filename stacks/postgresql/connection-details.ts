import type { DetailsOf } from '../../package/schema.ts';
import type { Login } from '../../package/stack.ts';
import { serverDetails } from '../../package/stack.ts';
import type { Credentials } from './client/credentials.ts';
import type { PostgreSQLRole } from './kinds/v1alpha1/postgresql-role.ts';

const words = { type: 'postgresql', provider: 'postgresql', hasSslModeInUri: true };

/** The entries of a connection secret, without the password and the database. */
export const connectionDetails = (credentials: Credentials, login: Login): DetailsOf<PostgreSQLRole> => ({
  ...serverDetails(words, credentials, login),
});
