import type { DefinedStack } from '../../../stack.ts';
import { toyShopStack } from './toy-shop/stack.ts';

/** Every stack there is. What runs, what is generated and what is tested follows from it. */
export const stacks: readonly DefinedStack[] = [toyShopStack];
