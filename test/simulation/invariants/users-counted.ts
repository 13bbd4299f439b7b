import type { KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { finalizerNames, hasFinalizer } from '../../../apis/core/v1alpha1/meta.ts';
import { isNewUser } from '../../../controllers/new-user.ts';
import type { InvariantOf } from '../invariant.ts';
import { managedKinds, providerKinds } from '../kinds.ts';
import { providerOfUser } from '../oracle/provider-of-user.ts';

const stackOf = (group: string): string => group.split('.').at(-3) ?? '';

/** A provider says how many use it, and is protected exactly while anybody does. While it is deleted, new users do not count. */
export const usersCounted: InvariantOf = ({ cluster, planted }) => ({
  name: 'a provider at rest says how many use it',
  atRest: () =>
    providerKinds.flatMap((kind) => {
      const managed = managedKinds
        .filter(({ group }) => stackOf(group) === stackOf(kind.group))
        .flatMap((each) => cluster.all(each) as unknown as readonly Managed[]);
      return (cluster.all(kind) as readonly (KubernetesObject & { status?: { users?: number } })[]).flatMap(
        (provider) => {
          const { name, uid, deletionTimestamp } = provider.metadata;
          const isProtected = hasFinalizer(provider, finalizerNames.inUse);
          // Only a finalizer of others holds it.
          const isGone = deletionTimestamp !== undefined && !isProtected;
          if (isGone || planted.has(uid)) return [];
          const users = managed.filter(
            (each) => providerOfUser(each) === `${kind.kind}/${name}` && !isNewUser(each, provider),
          ).length;
          const what = `${kind.kind} ${name} of ${kind.group}`;
          return [
            ...(provider.status?.users === users
              ? []
              : [`${what} says that ${provider.status?.users} use it, and ${users} do`]),
            ...(isProtected || users === 0 ? [] : [`${what} has no finalizer`]),
            ...(isProtected && users === 0 ? [`${what} has a finalizer and no users`] : []),
          ];
        },
      );
    }),
});
