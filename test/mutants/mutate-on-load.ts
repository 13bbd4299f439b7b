/** Imported before everything else: the source file that `MUTATION` names is read with its edit. */
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '../docs/project-copy.ts';
import type { Mutation } from './mutation.ts';
import { applied } from './mutation.ts';

const { MUTATION: text } = process.env;
if (text !== undefined) {
  const { file, edit } = JSON.parse(text) as Mutation;
  const url = pathToFileURL(join(projectRoot, file)).href;
  registerHooks({
    load(each, context, nextLoad) {
      const loaded = nextLoad(each, context);
      return each === url ? { ...loaded, source: applied(edit, String(loaded.source)) } : loaded;
    },
  });
}
