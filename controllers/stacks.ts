import type { DefinedStack } from './author/define-stack.ts';
import { awsStack } from './aws/setup.ts';
import { fcpStack } from './fcp/setup.ts';
import { gcpStack } from './gcp/setup.ts';
import { ocpStack } from './ocp/setup.ts';
import { postgresqlStack } from './postgresql/setup.ts';

/** All stacks. Add a new stack here only: flags, roles, pages and tests follow from this list. */
export const stacks: readonly DefinedStack[] = [fcpStack, ocpStack, postgresqlStack, awsStack, gcpStack];
