/** Imported before everything else: the source file that `GUARD` names is read without that guard. */
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '../../docs/project-copy.ts';
import type { Guard } from './marks.ts';

const { GUARD: text } = process.env;
if (text !== undefined) {
  const { file, edit } = JSON.parse(text) as Guard;
  const url = pathToFileURL(join(projectRoot, file)).href;
  registerHooks({
    load(each, context, nextLoad) {
      const loaded = nextLoad(each, context);
      if (each !== url) return loaded;
      const source = String(loaded.source);
      return { ...loaded, source: source.slice(0, edit.start) + edit.becomes + source.slice(edit.end) };
    },
  });
}
