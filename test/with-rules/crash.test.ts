import { withRulesEnforced } from './enforced.ts';

await withRulesEnforced('crash.test.ts');
