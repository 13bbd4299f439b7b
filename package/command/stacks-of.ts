import { relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import uniq from 'lodash/uniq.js';
import type { DefinedStack } from '../../controllers/author/define-stack.ts';
import { isDefinedStack } from '../../controllers/author/definition-forms.ts';
import { UsageError } from './usage-error.ts';

/** The stacks that a module exports, directly and in lists. Throws UsageError if it cannot be imported. */
export async function stacksOf(module: string): Promise<readonly DefinedStack[]> {
  const url = pathToFileURL(resolve(module)).href;
  const exported = (await import(url).catch((error: unknown) => {
    const text = error instanceof Error ? `${error.message}${placeIn(error.stack)}` : String(error);
    throw new UsageError(`cannot import ${module}: ${text}`, { cause: error });
  })) as Readonly<Record<string, unknown>>;
  return uniq(
    Object.values(exported)
      .flat()
      .filter((value): value is DefinedStack => isDefinedStack(value)),
  );
}

/** The first place in a file of the author that a stack trace names, in parentheses. Empty without one. */
function placeIn(trace = ''): string {
  for (const [, url = '', line] of trace.matchAll(/(file:\/\/[^\s)]+?):(\d+)/g)) {
    const file = fileURLToPath(url);
    if (!file.startsWith(import.meta.dirname) && !file.includes('/node_modules/'))
      return ` (${relative('', file)}:${line})`;
  }
  return '';
}

/** The same, but also throws UsageError if there are none. */
export async function someStacksOf(module: string): Promise<readonly DefinedStack[]> {
  const stacks = await stacksOf(module);
  if (stacks.length === 0)
    throw new UsageError(`${module} exports no stack: export the result of defineStack`);
  return stacks;
}
