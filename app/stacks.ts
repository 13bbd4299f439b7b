import type { DefinedStack } from '../controllers/author/define-stack.ts';
import { awsStack } from '../stacks/aws/stack.ts';
import { fcpStack } from '../stacks/demo-clouds/fcp/stack.ts';
import { ocpStack } from '../stacks/demo-clouds/ocp/stack.ts';
import { gcpStack } from '../stacks/gcp/stack.ts';
import { mysqlStack } from '../stacks/mysql/stack.ts';
import { postgresqlStack } from '../stacks/postgresql/stack.ts';

/** The stacks that run by default. Add a new stack here only: flags, roles, pages and tests follow from this list. */
export const stacks: readonly DefinedStack[] = [postgresqlStack, mysqlStack, awsStack, gcpStack];

/** Invented clouds, for the demo and for tests. They run only if `--stacks` names them. */
export const demoStacks: readonly DefinedStack[] = [fcpStack, ocpStack];

export const allStacks: readonly DefinedStack[] = [...demoStacks, ...stacks];
