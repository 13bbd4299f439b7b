import type { ObjectMeta } from '../../../apis/core/v1alpha1/kind.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import type { CloudMemorystoreInstance } from '../../../stacks/gcp/kinds/cache/v1beta1/cloud-memorystore-instance.ts';
import type { Topic } from '../../../stacks/gcp/kinds/pubsub/v1alpha1/topic.ts';

export type InstanceParameters = CloudMemorystoreInstance['spec']['forProvider'];

const connection = { namespace: 'infra', name: 'cool-connection' };

export const small: InstanceParameters = { region: 'us-central1', tier: 'BASIC', memorySizeGb: 1 };

/** A managed resource named `cool`, as the reconciler hands it to its external client. */
export const instance = (
  forProvider: InstanceParameters = small,
  {
    spec = {},
    ...metadata
  }: Partial<ObjectMeta> & { readonly spec?: Partial<CloudMemorystoreInstance['spec']> } = {},
): CloudMemorystoreInstance => ({
  apiVersion: 'cache.gcp.crossplane.io/v1beta1',
  kind: 'CloudMemorystoreInstance',
  metadata: { name: 'cool', annotations: { [annotationKeys.externalName]: 'cool' }, ...metadata },
  spec: { writeConnectionSecretToRef: connection, ...spec, forProvider },
});

/** A managed resource named `orders`. */
export const topic = (
  forProvider: Topic['spec']['forProvider'] = {},
  metadata: Partial<ObjectMeta> = {},
): Topic => ({
  apiVersion: 'pubsub.gcp.crossplane.io/v1alpha1',
  kind: 'Topic',
  metadata: { name: 'orders', annotations: { [annotationKeys.externalName]: 'orders' }, ...metadata },
  spec: { writeConnectionSecretToRef: { namespace: 'infra', name: 'orders-connection' }, forProvider },
});
