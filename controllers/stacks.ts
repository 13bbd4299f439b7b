import type { DefinedStack } from './author/define-stack.ts';
import { awsStack } from './aws/setup.ts';
import { fcpStack } from './fcp/setup.ts';
import { gcpStack } from './gcp/setup.ts';
import { ocpStack } from './ocp/setup.ts';
import { postgresqlStack } from './postgresql/setup.ts';

/** Every stack there is. A new one is added here and nowhere else: flags, roles, pages and tests follow from it. */
export const stacks: readonly DefinedStack[] = [fcpStack, ocpStack, postgresqlStack, awsStack, gcpStack];
