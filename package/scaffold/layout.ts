import type { Whereabouts } from './template-imports.ts';

/** Where the files of a service go in a repository. Paths are those of the template's names. */
export interface Layout extends Pick<Whereabouts, 'moduleOf'> {
  /** By the files of the template; those that are not named are not written. */
  readonly paths: Readonly<Record<string, string>>;
  /** Of these, what all services of a repository share: it is left as it is if it is there. */
  readonly shared: readonly string[];
  /** What a stack has to itself. */
  readonly folders: readonly string[];
  /** The one list of stacks, and what of the service it imports. */
  readonly list: { readonly file: string; readonly imports: string };
  /** What the repository needs besides. Throws UsageError for what it cannot be with. */
  needs(root: string): Needs;
  /** Called with the sources that were written. */
  finish?(root: string, sources: readonly string[]): void;
  /** What to run next, line by line. */
  readonly next: readonly string[];
}

/** What a repository needs beside a service. */
export interface Needs {
  /** What the process of the repository is called. */
  readonly product: string;
  /** Files, as they have to be: all that they hold already is in them. */
  readonly files: ReadonlyMap<string, string>;
  /** What its author should know. */
  readonly remarks: readonly string[];
}
