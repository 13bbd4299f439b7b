/** The permissions of each role. `*` matches any part of a permission. From Google's lists of predefined roles. */
const permissionsOf: Readonly<Record<string, readonly string[]>> = {
  'roles/owner': ['*'],
  'roles/editor': ['*'],
  'roles/viewer': ['redis.*.get', 'redis.*.list', 'pubsub.*.get', 'pubsub.*.list'],
  'roles/redis.admin': ['redis.*'],
  // All but creation and deletion.
  'roles/redis.editor': [
    ...['get', 'list', 'update', 'getAuthString', 'upgrade', 'failover'].map(
      (verb) => `redis.instances.${verb}`,
    ),
    'redis.locations.*',
    'redis.operations.*',
  ],
  'roles/redis.viewer': ['redis.*.get', 'redis.*.list'],
  'roles/pubsub.admin': ['pubsub.*'],
  'roles/pubsub.editor': ['pubsub.*'],
  'roles/pubsub.viewer': ['pubsub.*.get', 'pubsub.*.list'],
  'roles/pubsub.publisher': ['pubsub.topics.publish'],
};

export const roles: readonly string[] = Object.keys(permissionsOf);

/** Whether one of these roles grants a permission, for example `redis.instances.create`. */
export function isGranted(permission: string, granted: readonly string[]): boolean {
  const patterns = granted.flatMap((role) => permissionsOf[role] ?? []);
  return patterns.some((pattern) =>
    new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`).test(permission),
  );
}
