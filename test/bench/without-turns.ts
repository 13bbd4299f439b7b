/** Loaded into the process before `main.ts`: all waiting keys and calls belong to one group, as if no groups took turns. */
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '../docs/project-copy.ts';
import { patched } from '../model/patched.ts';

const file = 'runtime/time/turns-by-group.ts';
const edit = { file, was: 'add(group, item) {', becomes: "add(_group, item, group = '') {" };
const { href } = pathToFileURL(join(projectRoot, file));
registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    return url === href ? { ...loaded, source: patched(edit, String(loaded.source)) } : loaded;
  },
});
