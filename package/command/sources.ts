/* The sources that a process of `services-stack dev` has loaded. The process that started it learns of each one. */
import { statSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/** A source, and its version before it was read. */
export interface LoadedSource {
  readonly source: string;
  readonly version: string;
}

/** The version of a file: another one after each edit, also if an editor replaces the file. */
export function versionOf(path: string): string {
  const { ino, mtimeMs, size } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return [ino, mtimeMs, size].join(' ');
}

/** Reports each source that this process loads, except those of libraries. */
export function reportSources(report: (loaded: LoadedSource) => void): void {
  registerHooks({
    load(url, context, nextLoad) {
      if (isSource(url)) {
        const source = fileURLToPath(url);
        // Before it is read: an edit right afterwards yields another version.
        report({ source, version: versionOf(source) });
      }
      return nextLoad(url, context);
    },
    resolve(specifier, context, nextResolve) {
      try {
        return nextResolve(specifier, context);
      } catch (error) {
        // A file that does not exist yet: the process starts again when it does.
        const missing = URL.parse(specifier, context.parentURL);
        if (missing !== null && isSource(missing.href)) {
          const source = fileURLToPath(missing);
          report({ source, version: versionOf(source) });
        }
        throw error;
      }
    },
  });
}

const isSource = (url: string): boolean => url.startsWith('file:') && !url.includes('/node_modules/');
