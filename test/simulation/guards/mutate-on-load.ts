/** Imported before everything else: the one source file that `GUARD` names is read as if it said something else. */
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '../../docs/project-copy.ts';
import type { Guard } from './guards.ts';
import { withoutGuard } from './without-guard.ts';

const { GUARD: text } = process.env;
if (text !== undefined) {
  const guard = JSON.parse(text) as Guard;
  const url = pathToFileURL(join(projectRoot, guard.file)).href;
  registerHooks({
    load(each, context, nextLoad) {
      const loaded = nextLoad(each, context);
      return each === url ? { ...loaded, source: withoutGuard(guard, String(loaded.source)) } : loaded;
    },
  });
}
