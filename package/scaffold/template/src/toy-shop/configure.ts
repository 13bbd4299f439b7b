import { chosenVersion } from '../../../../stack.ts';
import type { AnyGadget } from './any-gadget.ts';
import type { TinyGadget, TinyGadgetClass } from './tiny-gadget.ts';

/** What a claim gets from a class: all that the class says, and the version. Throws if the two do not agree on it. */
export function configureTinyGadget(
  claim: AnyGadget,
  resourceClass: TinyGadgetClass,
): Pick<TinyGadget['spec'], 'forProvider'> {
  const { forProvider } = resourceClass.specTemplate;
  const version = chosenVersion(claim, resourceClass, 'version', forProvider.version);
  return { forProvider: { ...forProvider, ...(version !== undefined && { version }) } };
}
