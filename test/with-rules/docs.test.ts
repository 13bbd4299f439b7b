import { withRulesEnforced } from './enforced.ts';

await withRulesEnforced('docs.test.ts');
