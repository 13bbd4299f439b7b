import { withRulesEnforced } from './enforced.ts';

await withRulesEnforced('managed.test.ts');
