/**
 * Imported before everything else: the source files are read without the rule that `WITHOUT_RULE` names. Without a name,
 * their lists of checks are registered.
 */
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '../docs/project-copy.ts';
import { lists } from './checks.ts';
import { patched } from './patched.ts';
import type { Edit } from './rules.ts';
import { editsOf, rules } from './rules.ts';

const { WITHOUT_RULE: name } = process.env;
const edits = name === undefined ? lists.map(({ edit }) => edit) : editsOfRule(name);

function editsOfRule(rule: string): readonly Edit[] {
  if (!rules[rule]) throw new Error(`WITHOUT_RULE: there is no rule ${JSON.stringify(rule)}`);
  return editsOf(rules[rule]);
}

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const here = edits.filter(({ file }) => url === pathToFileURL(join(projectRoot, file)).href);
    if (here.length === 0) return loaded;
    return {
      ...loaded,
      source: here.reduce((source, edit) => patched(edit, source), String(loaded.source)),
    };
  },
});
