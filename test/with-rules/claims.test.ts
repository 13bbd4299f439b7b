import { withRulesEnforced } from './enforced.ts';

await withRulesEnforced('claims.test.ts');
