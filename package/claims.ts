/* `services-stack/claims`: the claim kinds, and their types. A stack that serves one of them imports it from here. */
export type { RedisCluster } from '../apis/cache/v1alpha1/redis-cluster.ts';
export { RedisClusterKind } from '../apis/cache/v1alpha1/redis-cluster.ts';
export type { MySQLInstance } from '../apis/database/v1alpha1/mysql-instance.ts';
export { MySQLInstanceKind } from '../apis/database/v1alpha1/mysql-instance.ts';
export type { PostgreSQLInstance } from '../apis/database/v1alpha1/postgresql-instance.ts';
export { PostgreSQLInstanceKind } from '../apis/database/v1alpha1/postgresql-instance.ts';
