import { defineProvider, defineProviderConfig } from '../../core/v1alpha1/define-provider.ts';

/** Access to one PostgreSQL server, the legacy way. */
export const ProviderKind = defineProvider({
  group: 'postgresql.crossplane.io',
  version: 'v1alpha1',
  stack: 'postgresql',
  description:
    'Access to a PostgreSQL server, the legacy way. The whole secret is read: endpoint, username, password and, where they differ from the defaults, port (5432), sslmode (disable, require, verify-ca, verify-full), clusterCA (PEM), database (postgres) and serverDatabases (close: PUBLIC may not connect to the databases of the server itself; or leave). The key of the reference names any entry that is there, as endpoint.',
});

/** Access to one PostgreSQL server. */
export const ProviderConfigKind = defineProviderConfig({
  group: 'postgresql.crossplane.io',
  version: 'v1alpha1',
  stack: 'postgresql',
  description:
    'Access to a PostgreSQL server. The whole secret is read: endpoint, username, password and, where they differ from the defaults, port (5432), sslmode (disable, require, verify-ca, verify-full), clusterCA (PEM), database (postgres) and serverDatabases (close: PUBLIC may not connect to the databases of the server itself; or leave). The key of the reference names any entry that is there, as endpoint. The one named default serves whoever names none.',
});
