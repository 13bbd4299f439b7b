import type { KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { finalizerNames, hasFinalizer } from '../../../apis/core/v1alpha1/meta.ts';
import type { InvariantOf } from '../invariant.ts';
import { managedKinds, providerKinds } from '../kinds.ts';
import { providerOfUser } from '../oracle/provider-of-user.ts';

const stackOf = (group: string): string => group.split('.').at(-3) ?? '';

/** A ProviderConfig says how many use it, and stays while anybody does. */
export const usersCounted: InvariantOf = ({ cluster }) => ({
  name: 'a ProviderConfig at rest says how many use it',
  atRest: () =>
    providerKinds
      .filter(({ kind }) => kind === 'ProviderConfig')
      .flatMap((kind) => {
        const managed = managedKinds
          .filter(({ group }) => stackOf(group) === stackOf(kind.group))
          .flatMap((each) => cluster.all(each) as unknown as readonly Managed[]);
        return (cluster.all(kind) as readonly (KubernetesObject & { status?: { users?: number } })[]).flatMap(
          (config) => {
            const { name } = config.metadata;
            const users = managed.filter((each) => providerOfUser(each) === `ProviderConfig/${name}`).length;
            const what = `ProviderConfig ${name} of ${kind.group}`;
            return [
              ...(config.status?.users === users
                ? []
                : [`${what} says that ${config.status?.users} use it, and ${users} do`]),
              ...(hasFinalizer(config, finalizerNames.providerConfig) ? [] : [`${what} has no finalizer`]),
            ];
          },
        );
      }),
});
