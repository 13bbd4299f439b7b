/* `npm run new-service -- …`: a service in this repository. */
import { tellingUsageErrors } from '../telling-usage-errors.ts';
import { newServiceCommand } from './command.ts';
import { projectLayout } from './project-layout.ts';

await tellingUsageErrors(newServiceCommand(projectLayout).parseAsync());
