import { contradiction } from '../../../../stack.ts';
import type { AnyGadget } from './any-gadget.ts';
import type { TinyGadget, TinyGadgetClass } from './tiny-gadget.ts';

type Configured = Pick<TinyGadget['spec'], 'forProvider'>;

/** Why a gadget, or one of a class, is none for a claim: its version is another one. */
export const misfitOfTinyGadget = (
  { spec: { version: asked } }: AnyGadget,
  { version }: Partial<Configured['forProvider']>,
): string | undefined => contradiction(['version', version], ['version', asked]);

/** What a claim gets from a class: all that the class says, and the version where it leaves that open. */
export function configureTinyGadget(
  { spec: { version: asked } }: AnyGadget,
  { specTemplate: { forProvider } }: TinyGadgetClass,
): Configured {
  const { version = asked } = forProvider;
  return { forProvider: { ...forProvider, ...(version !== undefined && { version }) } };
}
