import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { apiVersionOf } from '../../apis/core/v1alpha1/kind.ts';

/** An object of a kind. `rest` has its fields beside the metadata, for example `spec`. */
export const objectOf = <T extends KubernetesObject = KubernetesObject>(
  kind: Kind<T>,
  metadata: KubernetesObject['metadata'],
  rest: object = {},
): T => ({ apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, ...rest }) as unknown as T;

/** A reference to an object, as other objects hold it. */
export const referenceOf = (kind: Kind, name: string) => ({
  apiVersion: apiVersionOf(kind),
  kind: kind.kind,
  name,
});
