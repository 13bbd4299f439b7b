import type { ObjectMeta } from '../../../../apis/core/v1alpha1/kind.ts';
import { annotationKeys } from '../../../../apis/core/v1alpha1/meta.ts';
import type { FavouriteDBInstance } from '../../../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import type { Network } from '../../../../stacks/demo-clouds/kinds/fcp/v1alpha3/network.ts';

const secret = { namespace: 'infra', name: 'cool-connection' };

/** A managed resource named `cool`, as the reconciler hands it to its external client. */
export const instance = (
  forProvider: FavouriteDBInstance['spec']['forProvider'] = { fancinessLevel: 100, version: '5.7' },
  {
    spec = {},
    status,
    ...metadata
  }: Partial<ObjectMeta> & {
    readonly spec?: Partial<FavouriteDBInstance['spec']>;
    readonly status?: NonNullable<FavouriteDBInstance['status']>;
  } = {},
): FavouriteDBInstance => ({
  apiVersion: 'database.fcp.crossplane.io/v1alpha3',
  kind: 'FavouriteDBInstance',
  metadata: { name: 'cool', annotations: { [annotationKeys.externalName]: 'cool' }, ...metadata },
  spec: { writeConnectionSecretToRef: secret, ...spec, forProvider },
  ...(status === undefined ? {} : { status }),
});

/** A managed resource named `blue`; its external name is the id, once there is one. */
export const network = (
  forProvider: Network['spec']['forProvider'],
  id?: string,
  metadata: Partial<ObjectMeta> = {},
): Network => ({
  apiVersion: 'network.fcp.crossplane.io/v1alpha3',
  kind: 'Network',
  metadata: {
    name: 'blue',
    ...(id === undefined ? {} : { annotations: { [annotationKeys.externalName]: id } }),
    ...metadata,
  },
  spec: { forProvider },
});
