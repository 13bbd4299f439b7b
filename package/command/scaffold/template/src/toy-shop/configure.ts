import { contradiction } from '../../../../../stack.ts';
import type { AnyGadget } from './any-gadget.ts';
import type { TinyGadget, TinyGadgetClass } from './tiny-gadget.ts';

type Configured = Pick<TinyGadget['spec'], 'forProvider'>;

/** Why a tiny gadget, or a tiny gadget of a class, does not fit a claim: it has another version. Undefined if it fits. */
export const incompatibilityOfTinyGadget = (
  { spec: { engineVersion: requested } }: AnyGadget,
  { version }: Partial<Configured['forProvider']>,
): string | undefined => contradiction(['version', version], ['engineVersion', requested]);

/** The spec of a claim's tiny gadget: all fields of the class, and the claim's version if the class has none. */
export function configureTinyGadget(
  { spec: { engineVersion: requested } }: AnyGadget,
  { specTemplate: { forProvider } }: TinyGadgetClass,
): Configured {
  const { version = requested } = forProvider;
  return { forProvider: { ...forProvider, ...(version !== undefined && { version }) } };
}
