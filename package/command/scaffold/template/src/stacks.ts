import type { DefinedStack } from '../../../../stack.ts';
import { toyShopStack } from './toy-shop/stack.ts';

/** All stacks. The process, the generated files and the tests follow from this list. */
export const stacks: readonly DefinedStack[] = [toyShopStack];
