import { fcpStack } from '../../stacks/demo-clouds/fcp/stack.ts';
import { otherStack } from '../fakes/other-stack.ts';

/** Serves FancySQLInstances, as the two demo clouds do, with kinds of its own and without a class. */
export const thirdStack = otherStack(fcpStack, 'third');
