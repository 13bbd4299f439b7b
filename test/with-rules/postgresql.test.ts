import { withRulesEnforced } from './enforced.ts';

await withRulesEnforced('postgresql.test.ts');
