import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Observable } from 'rxjs';
import { concat, EMPTY, ignoreElements } from 'rxjs';
import type { Kind } from '../apis/core/v1alpha1/kind.ts';
import { definitionFile } from '../apis/crd.ts';
import { abortable } from '../runtime/abortable.ts';
import type { InstallCrdsOptions } from '../runtime/client/install-crds.ts';
import { installCrds } from '../runtime/client/install-crds.ts';
import type { Flags } from '../runtime/process/flags.ts';

/** The package of this product, which owns the definitions of `crds/`. */
export const sharedPackage = 'services-stack';

/** Folders of definitions: those of the process's package, and those of this package, if that is another one. */
interface DefinitionFolders {
  readonly own: readonly string[];
  readonly shared: string | undefined;
}

type KindName = Pick<Kind, 'group' | 'plural'>;

/**
 * Installs the definitions of the kinds, if `--install-crds` is set. A definition of the process's package has precedence
 * over the shared one of that name.
 */
export function definitions(
  { installCrds: isRequested, takeDefinitions: takesOver }: Pick<Flags, 'installCrds' | 'takeDefinitions'>,
  { own, shared }: DefinitionFolders,
  {
    kinds,
    ...tools
  }: Omit<InstallCrdsOptions, 'directory' | 'signal' | 'kinds' | 'takesOver' | 'previousOwner'> & {
    readonly kinds: readonly KindName[];
  },
): Observable<never> {
  if (!isRequested) return EMPTY;
  const isIn = (kind: KindName) => (directory: string) => existsSync(join(directory, definitionFile(kind)));
  const previousOwner = (kind: KindName) =>
    shared !== undefined && isIn(kind)(shared) ? sharedPackage : undefined;
  const install = (directory: string, installed: readonly KindName[]) =>
    abortable((signal) =>
      installCrds({ ...tools, directory, kinds: installed, takesOver, previousOwner, signal }),
    );
  const others = kinds.filter((kind) => !own.some(isIn(kind)));
  return concat(
    ...own.map((directory) => install(directory, kinds)),
    ...(shared === undefined ? [] : [install(shared, others)]),
  ).pipe(ignoreElements());
}
