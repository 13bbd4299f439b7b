import isEmpty from 'lodash/isEmpty.js';
import isEqual from 'lodash/isEqual.js';
import pickBy from 'lodash/pickBy.js';
import { UsageError } from '../usage-error.ts';

type Texts = Readonly<Record<string, string>>;

/** The fields of a package.json that are used here. */
export interface Manifest {
  readonly name?: string;
  readonly type?: string;
  readonly scripts?: Texts;
  readonly dependencies?: Texts;
  readonly devDependencies?: Texts;
}

export interface ManifestNeeds {
  readonly scripts: Texts;
  readonly dependencies: Texts;
  readonly devDependencies: Texts;
}

/** The test script that `npm init` writes. */
const noTest = /no test specified/;

/**
 * A package.json with everything that stacks need. Existing scripts with the same names stay and are returned. Throws
 * UsageError for a package whose modules are not ES modules.
 */
export function completed(
  present: Manifest,
  needs: ManifestNeeds,
): { readonly manifest: Manifest; readonly isChanged: boolean; readonly retained: readonly string[] } {
  const { type = 'module', scripts = {}, dependencies = {}, devDependencies = {} } = present;
  if (type !== 'module') {
    throw new UsageError(`package.json: its type is "${type}"; run \`npm pkg set type=module\` first`);
  }
  const had = pickBy(scripts, (script) => !noTest.test(script));
  const isThere = (_version: string, name: string) => name in dependencies || name in devDependencies;
  const missing = (wanted: Texts): Texts => pickBy(wanted, (version, name) => !isThere(version, name));
  const withMissing = (field: 'dependencies' | 'devDependencies', own: Texts) => {
    const all = { ...own, ...missing(needs[field]) };
    return isEmpty(all) ? {} : { [field]: all };
  };
  const manifest: Manifest = {
    ...present,
    type,
    scripts: { ...scripts, ...needs.scripts, ...had },
    ...withMissing('dependencies', dependencies),
    ...withMissing('devDependencies', devDependencies),
  };
  const retained = Object.keys(needs.scripts).filter(
    (name) => had[name] !== undefined && had[name] !== needs.scripts[name],
  );
  return { manifest, isChanged: !isEqual(manifest, present), retained };
}
