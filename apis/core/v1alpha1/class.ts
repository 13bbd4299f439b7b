import type { KubernetesObject } from './kind.ts';
import { annotationKeys } from './meta.ts';
import type { ObjectReference, ReferencePolicy } from './reference.ts';

export type ReclaimPolicy = 'Retain' | 'Delete';

/** What every resource class's template holds beside `forProvider`. */
export interface ClassSpecTemplate {
  readonly writeConnectionSecretsToNamespace?: string;
  readonly providerRef?: ObjectReference;
  readonly providerConfigRef?: { readonly name: string; readonly policy?: ReferencePolicy };
  readonly reclaimPolicy?: ReclaimPolicy;
  readonly forProvider?: object;
}

/** A cluster-scoped template from which managed resources are provisioned. */
export interface Class extends KubernetesObject {
  readonly specTemplate: ClassSpecTemplate;
}

/** Whether a class is the default of its kind: the annotation is exactly `true`. */
export const isDefaultClass = (object: KubernetesObject): boolean =>
  object.metadata.annotations?.[annotationKeys.defaultClass] === 'true';
