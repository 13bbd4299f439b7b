import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { ConnectionDetails } from '../../apis/core/v1alpha1/secret.ts';
import { encodeDetails, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { FavouriteDBInstanceClassKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { ProviderKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/provider.ts';
import { AmbivalentDBInstanceClassKind } from '../../stacks/demo-clouds/kinds/ocp/v1alpha1/ambivalent-db-instance.ts';
import { ProviderConfigKind } from '../../stacks/demo-clouds/kinds/ocp/v1alpha1/provider.ts';
import { objectsOf } from '../docs/manifests.ts';
import type { Simulation } from './simulation.ts';

const kindsOf: Readonly<Record<'favourite' | 'other', readonly Kind[]>> = {
  favourite: [ProviderKind, FavouriteDBInstanceClassKind],
  other: [ProviderConfigKind, AmbivalentDBInstanceClassKind],
};

/** Puts the Secrets of examples/fancysql, and the providers and classes of these clouds, as an API server stores them. */
export function putFancySqlExample(
  cluster: Simulation['cluster'],
  clouds: readonly (keyof typeof kindsOf)[],
  leftOut?: string,
): void {
  const kinds: readonly Kind[] = [SecretKind, ...clouds.flatMap((cloud) => kindsOf[cloud])];
  for (const object of objectsOf('examples/fancysql')) {
    const kind = kinds.find((each) => each.kind === object.kind && object.apiVersion.startsWith(each.group));
    if (kind === undefined || object.metadata.name === leftOut) continue;
    const { stringData, ...rest } = object as KubernetesObject & { readonly stringData?: ConnectionDetails };
    const data = stringData && { data: encodeDetails(stringData) };
    cluster.put(kind, { ...rest, ...data } as KubernetesObject);
  }
}
