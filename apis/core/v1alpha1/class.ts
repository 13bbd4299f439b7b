import type { Described } from '../schema.ts';
import type { classSpecTemplate } from './define-class.ts';
import type { KubernetesObject } from './kind.ts';
import { annotationKeys, ineffectiveSwitch } from './meta.ts';

/** The template of a resource class. Definitions of older versions may lack any of these fields. */
type ClassSpecTemplate = Partial<Described<typeof classSpecTemplate>> & {
  readonly forProvider?: object;
  readonly initProvider?: object;
};

/** A cluster-scoped template from which managed resources are provisioned. */
export interface Class extends KubernetesObject {
  readonly specTemplate: ClassSpecTemplate;
}

const markOfDefault = ({ metadata }: KubernetesObject): string | undefined =>
  metadata.annotations?.[annotationKeys.defaultClass];

/** Whether a class is the default of its kind: the annotation is exactly `true`. */
export const isDefaultClass = (object: KubernetesObject): boolean => markOfDefault(object) === 'true';

/** A value of the annotation that has no effect, such as `True`. */
export const ineffectiveDefault = (object: KubernetesObject): string | undefined =>
  ineffectiveSwitch(markOfDefault(object));
