import type { ImportTargets } from './template-imports.ts';

/** The places of a service's files in a repository. Paths contain the template's names. */
export interface Layout extends Pick<ImportTargets, 'moduleOf'> {
  /** The paths by the files of the template; files without an entry are not written. */
  readonly paths: Readonly<Record<string, string>>;
  /** The files of the template that all services of a repository share; existing ones are not changed. */
  readonly shared: readonly string[];
  /** The folders of one stack. */
  readonly folders: readonly string[];
  /** The list of stacks, and the module of the service that it imports. */
  readonly list: { readonly file: string; readonly imports: string };
  /** Additional files of the repository. Throws UsageError if an existing file is incompatible. */
  needs(root: string): Needs;
  /** Called with the sources that were written. */
  finish?(root: string, sources: readonly string[]): void;
  /** The commands to run next, one per line. */
  readonly next: readonly string[];
}

/** Additional files of a repository with a service. */
export interface Needs {
  /** The name of the repository's process. */
  readonly product: string;
  /** The complete contents of files; the contents of existing files are included. */
  readonly files: ReadonlyMap<string, string>;
  /** Notes for the author. */
  readonly remarks: readonly string[];
}
