import { defineProvider, defineProviderConfig } from '../../../../package/schema.ts';
import { group, stack, version } from './fields.ts';

const entries =
  'The whole Secret is read. Required entries: endpoint, username, password. Optional entries: port (default 3306), sslmode (disable, require, verify-ca or verify-full) and clusterCA (PEM). The key of the reference names any existing entry, for example endpoint.';

/** Access to one MariaDB server (legacy). */
export const ProviderKind = defineProvider({
  group,
  version,
  stack,
  description: `Access to a MariaDB server (legacy). ${entries}`,
});

/** Access to one MariaDB server. */
export const ProviderConfigKind = defineProviderConfig({
  group,
  version,
  stack,
  description: `Access to a MariaDB server. ${entries} The ProviderConfig named default is used by resources that name no other.`,
});
