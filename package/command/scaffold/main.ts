/* `npm run new-service -- …`: writes a new service into this repository. */
import { reportUsageErrors } from '../report-usage-errors.ts';
import { newServiceCommand } from './command.ts';
import { projectLayout } from './project-layout.ts';

await reportUsageErrors(newServiceCommand(projectLayout).parseAsync());
