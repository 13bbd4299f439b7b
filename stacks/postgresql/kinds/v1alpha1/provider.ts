import { defineProvider, defineProviderConfig } from '../../../../package/schema.ts';

/** Access to one PostgreSQL server (legacy). */
export const ProviderKind = defineProvider({
  group: 'postgresql.crossplane.io',
  version: 'v1alpha1',
  stack: 'postgresql',
  description:
    'Access to a PostgreSQL server (legacy). The whole Secret is read. Required entries: endpoint, username, password. Optional entries: port (default 5432), sslmode (disable, require, verify-ca or verify-full), clusterCA (PEM), database (default postgres) and serverDatabases (close or leave). With close, PUBLIC may not connect to the databases of the server itself. The key of the reference names any existing entry, for example endpoint.',
});

/** Access to one PostgreSQL server. */
export const ProviderConfigKind = defineProviderConfig({
  group: 'postgresql.crossplane.io',
  version: 'v1alpha1',
  stack: 'postgresql',
  description:
    'Access to a PostgreSQL server. The whole Secret is read. Required entries: endpoint, username, password. Optional entries: port (default 5432), sslmode (disable, require, verify-ca or verify-full), clusterCA (PEM), database (default postgres) and serverDatabases (close or leave). With close, PUBLIC may not connect to the databases of the server itself. The key of the reference names any existing entry, for example endpoint. The ProviderConfig named default is used by resources that name no other.',
});
