import { advice } from '../apis/core/v1alpha1/advice.ts';
import type { Managed } from '../apis/core/v1alpha1/managed.ts';

/** Whether a claim chose the external name. Then the name is fixed, and the claim advises to create another claim. */
export const isNameFixed = ({ spec }: Pick<Managed, 'spec'>): boolean => spec.classRef !== undefined;

/** A problem with the external name, and the advice to set another one, unless {@link isNameFixed}. */
export const withNameAdvice = (managed: Pick<Managed, 'spec'>, problem: string): string =>
  isNameFixed(managed) ? problem : `${problem}; ${advice.setExternalName}`;
