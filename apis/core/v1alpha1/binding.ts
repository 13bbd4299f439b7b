import type { Described } from '../schema.ts';
import type { bindingPhase } from './fields.ts';

/** The phase of a claim or managed resource in the binding life cycle. */
export type BindingPhase = Described<typeof bindingPhase>;

/**
 * The phase after the external resource became usable: unset and Unbindable become Unbound; Bound and Released stay
 * (crossplane-runtime v0.2.3, SetBindable).
 */
export function setBindable(phase: BindingPhase | undefined): BindingPhase {
  return phase === 'Bound' || phase === 'Released' ? phase : 'Unbound';
}
