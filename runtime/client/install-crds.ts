import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Observable } from 'rxjs';
import { Subject } from 'rxjs';
import { parseAllDocuments } from 'yaml';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../../apis/core/v1alpha1/kind.ts';
import { definitionOwnerAnnotation, definitionVersionAnnotation } from '../../apis/core/v1alpha1/meta.ts';
import type { Logger } from '../log/log.ts';
import type { Clock } from '../time/clock.ts';
import {
  definitionOutdated,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isNotFound,
  messageOf,
} from './errors.ts';
import type { KubernetesClient } from './kubernetes-client.ts';
import type { ServerVersion } from './server-version.ts';
import { isSupported } from './server-version.ts';

/** apiextensions.k8s.io/v1 CustomResourceDefinition, as far as it is read here. */
export interface CustomResourceDefinition extends KubernetesObject {
  readonly spec: object;
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly message?: string;
    }[];
  };
}

export const CustomResourceDefinitionKind: Kind<CustomResourceDefinition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  scope: 'Cluster',
};

/**
 * The hash of the content that a definition on the server was written from. Specs are not compared: servers add defaults
 * and drop unknown fields, so that the specs would differ at each start.
 */
export const definitionHashAnnotation = 'services-stack.crossplane.io/definition-hash';

/** The content of the last `kubectl apply`. Without it kubectl warns, and cannot find the fields to remove. */
const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';
/** All annotations of an object may have 256 KiB together, which also limits `kubectl apply`. */
const maxLastAppliedBytes = 200_000;

export interface InstallCrdsOptions {
  readonly client: KubernetesClient;
  /** A folder of YAML files, each with one or more definitions. */
  readonly directory: string;
  /** Installs the definitions of these kinds only; absent: all. */
  readonly kinds?: readonly Pick<Kind, 'plural' | 'group'>[];
  /** Also replaces definitions of other packages. Default: false. */
  readonly takesOver?: boolean;
  /** The owner of a definition that names none on the server; default, and if undefined: that of the file. */
  readonly previousOwner?: (kind: Pick<Kind, 'plural' | 'group'>) => string | undefined;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Milliseconds in which the API server must establish all definitions; default 60 000. */
  readonly timeoutMs?: number;
  readonly clock: Pick<Clock, 'elapsedMs' | 'sleep'>;
}

/** The package that owns a definition, if it names one. */
const ownerOf = ({ metadata }: CustomResourceDefinition): string | undefined =>
  metadata.annotations?.[definitionOwnerAnnotation];

/** The names of the kind, which the name of every definition has. */
function kindOf({ metadata: { name } }: CustomResourceDefinition): Pick<Kind, 'plural' | 'group'> {
  const dot = name.indexOf('.');
  return { plural: name.slice(0, dot), group: name.slice(dot + 1) };
}

/** A definition and its file, for messages. */
interface Definition {
  readonly file: string;
  readonly object: CustomResourceDefinition;
}

const retryMs = 100;
const maxAttempts = 10;

/**
 * Creates or updates the definitions of a folder, and waits until the API server serves their kinds.
 *
 * - A definition that was installed from the same content is not written, even if it was edited since.
 * - A definition of a newer version of the product is not written: an old process that starts during or after an upgrade
 *   would remove fields, and the data in them.
 * - A definition of another package is not written, unless `takesOver` is set and the file names its own package. Since then
 *   the other package does not write it.
 * - A definition that was sent to a server which drops rules is sent again once the server is supported.
 * - Labels and annotations of others stay, and `kubectl apply` may take over.
 * - Throws an error that names the file. If a file is malformed, no definition is written.
 */
export async function installCrds(options: InstallCrdsOptions): Promise<void> {
  const { client, directory, kinds, log, clock, signal, timeoutMs = 60_000, ...how } = options;
  const version = await client.serverVersion(signal).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new Error(`cannot read the version of the API server: ${messageOf(error)}`, { cause: error });
  });
  const wanted = kinds && new Set(kinds.map(({ plural, group }) => `${plural}.${group}`));
  const read = await readDefinitions(directory);
  const definitions = read.filter(({ object }) => wanted?.has(object.metadata.name) ?? true);

  for (const { file, object } of definitions) {
    const { name } = object.metadata;
    try {
      const change = await installOne(client, object, { ...how, version, signal, clock });
      if (change === 'unchanged') log.debug('the definition is already installed', { name });
      else if (change === 'newer')
        log.warn('a newer version of this product installed the definition: it stays as it is', { name });
      else if (change === 'foreign')
        log.info('the definition belongs to another package: it stays as it is', { name });
      else log.info('installed the definition', { name, change });
    } catch (error) {
      signal.throwIfAborted();
      throw new Error(`cannot install ${name} of ${file}: ${messageOf(error)}`, { cause: error });
    }
  }

  const deadlineMs = clock.elapsedMs() + timeoutMs;
  for (const { file, object } of definitions) {
    for (let missing: string | undefined; ; ) {
      try {
        const found = await client.get(CustomResourceDefinitionKind, object.metadata, signal);
        missing = notEstablished(found);
      } catch (error) {
        signal.throwIfAborted();
        missing = messageOf(error);
      }
      if (missing === undefined) break;
      if (clock.elapsedMs() >= deadlineMs) {
        const seconds = timeoutMs / 1000;
        throw new Error(
          `${object.metadata.name} of ${file} is not served by the API server after ${seconds} s: ${missing}`,
        );
      }
      await clock.sleep(retryMs, signal);
    }
  }
}

/** All definitions of a folder, ordered by file name. */
async function readDefinitions(directory: string): Promise<readonly Definition[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((error: unknown) => {
    throw new Error(`cannot read the folder of definitions: ${messageOf(error)}`, { cause: error });
  });
  const names = entries
    .filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name))
    .map(({ name }) => name)
    .toSorted();
  if (names.length === 0) throw new Error(`cannot install definitions: ${directory} has no YAML file`);
  const read = names.map(async (file) =>
    parseDefinitions(file, await readFile(join(directory, file), 'utf8')),
  );
  const definitions = (await Promise.all(read)).flat();
  const files = new Map<string, string>();
  for (const { file, object } of definitions) {
    const { name } = object.metadata;
    const other = files.get(name);
    // At every start each one would replace the other.
    if (other !== undefined)
      throw new Error(`cannot install ${name}: ${other} and ${file} both define it; remove one of them`);
    files.set(name, file);
  }
  return definitions;
}

function parseDefinitions(file: string, text: string): readonly Definition[] {
  return parseAllDocuments(text).flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw new Error(`cannot read ${file}: ${error.message}`, { cause: error });
    const content: unknown = document.toJS();
    // A part before or after a separator may hold comments only.
    if (content === null) return [];
    if (!isDefinition(content)) {
      throw new Error(
        `cannot install ${file}: it may hold only objects of kind CustomResourceDefinition (v1)`,
      );
    }
    return [{ file, object: content }];
  });
}

function isDefinition(content: unknown): content is CustomResourceDefinition {
  const { apiVersion, kind, metadata, spec } = content as Partial<CustomResourceDefinition>;
  return (
    apiVersion === 'apiextensions.k8s.io/v1' &&
    kind === 'CustomResourceDefinition' &&
    typeof metadata?.name === 'string' &&
    typeof spec === 'object'
  );
}

/** Installs one definition. A conflict with another replica is tried again. */
async function installOne(
  client: KubernetesClient,
  definition: CustomResourceDefinition,
  {
    version,
    signal,
    clock,
    takesOver = false,
    previousOwner = () => undefined,
  }: Omit<InstallCrdsOptions, 'client' | 'directory' | 'kinds' | 'log' | 'timeoutMs'> & {
    readonly version: ServerVersion;
  },
): Promise<'created' | 'updated' | 'unchanged' | 'newer' | 'foreign'> {
  const owner = ownerOf(definition);
  const content = `${JSON.stringify(definition)}${isSupported(version) ? '' : ' without rules'}`;
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 32);
  for (let attempt = 1; ; attempt += 1) {
    try {
      const current = await find(client, definition.metadata.name, signal);
      if (current?.metadata.annotations?.[definitionHashAnnotation] === hash) return 'unchanged';
      if (current !== undefined) {
        const currentOwner = ownerOf(current) ?? previousOwner(kindOf(definition)) ?? owner;
        const isForeign = currentOwner !== owner;
        if (isForeign && !(takesOver && owner !== undefined)) return 'foreign';
        if (!isForeign && (await isNewer(current, definition))) return 'newer';
      }
      const wanted = withHash(definition, hash, current);
      if (current === undefined) await client.create(CustomResourceDefinitionKind, wanted, signal);
      else await client.replace(CustomResourceDefinitionKind, wanted, signal);
      return current === undefined ? 'created' : 'updated';
    } catch (error) {
      const isRace = isConflict(error) || isAlreadyExists(error);
      if (!isRace || attempt >= maxAttempts) throw error;
      await clock.sleep(retryMs, signal);
    }
  }
}

/** Whether `one` is of a later version of the product than `other`. A definition without a valid version is the oldest. */
async function isNewer(one: CustomResourceDefinition, other: CustomResourceDefinition): Promise<boolean> {
  // Most processes install nothing, and do not load the library.
  const [{ default: gt }, { default: valid }] = await Promise.all([
    import('semver/functions/gt.js'),
    import('semver/functions/valid.js'),
  ]);
  const [version, otherVersion] = [one, other].map(({ metadata }) =>
    valid(metadata.annotations?.[definitionVersionAnnotation]),
  );
  return version != null && (otherVersion == null || gt(version, otherVersion));
}

async function find(
  client: KubernetesClient,
  name: string,
  signal: AbortSignal,
): Promise<CustomResourceDefinition | undefined> {
  try {
    return await client.get(CustomResourceDefinitionKind, { name }, signal);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** The definition as it is written, with the labels and annotations that others have added to the stored one. */
function withHash(
  definition: CustomResourceDefinition,
  hash: string,
  current: CustomResourceDefinition | undefined,
): CustomResourceDefinition {
  const { metadata } = definition;
  const { resourceVersion, labels, annotations } = current?.metadata ?? {};
  const allLabels = { ...labels, ...metadata.labels };
  const { [lastAppliedAnnotation]: _former, ...noted } = annotations ?? {};
  const lastApplied = `${JSON.stringify(definition)}\n`;
  return {
    ...definition,
    metadata: {
      ...metadata,
      ...(Object.keys(allLabels).length > 0 && { labels: allLabels }),
      annotations: {
        ...noted,
        ...metadata.annotations,
        [definitionHashAnnotation]: hash,
        ...(Buffer.byteLength(lastApplied) <= maxLastAppliedBytes && {
          [lastAppliedAnnotation]: lastApplied,
        }),
      },
      ...(resourceVersion !== undefined && { resourceVersion }),
    },
  };
}

/** Why the API server does not serve the definition (yet); undefined if it does. */
function notEstablished({ status }: CustomResourceDefinition): string | undefined {
  const conditions = status?.conditions ?? [];
  if (conditions.some(({ type, status: is }) => type === 'Established' && is === 'True')) return undefined;
  const refused = conditions.find(({ type, status: is }) => type === 'NamesAccepted' && is === 'False');
  return refused?.message ?? 'its status gives no reason';
}

/** A schema of OpenAPI, as far as it is read here. */
interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
}

/**
 * The fields, such as `spec.claimRef` or `spec.rules[].port`, that the API server drops because this version of the
 * definition lacks them.
 */
export function lackedFields(
  { spec }: CustomResourceDefinition,
  version: string,
  fields: readonly string[],
): readonly string[] {
  const { versions = [] } = spec as {
    readonly versions?: readonly {
      readonly name: string;
      readonly schema?: { readonly openAPIV3Schema?: Schema };
    }[];
  };
  const root = versions.find(({ name }) => name === version)?.schema?.openAPIV3Schema;
  const isRetained = (schema: Schema | undefined, [first, ...rest]: readonly string[]): boolean =>
    schema !== undefined &&
    (first === undefined ||
      schema['x-kubernetes-preserve-unknown-fields'] === true ||
      isRetained(
        first.endsWith('[]') ? schema.properties?.[first.slice(0, -2)]?.items : schema.properties?.[first],
        rest,
      ));
  // A version without a schema drops nothing.
  return root === undefined ? [] : fields.filter((field) => !isRetained(root, field.split('.')));
}

/** The fields that are not within another one of them. */
const outermost = (fields: readonly string[]): readonly string[] =>
  fields.filter(
    (field) => !fields.some((other) => field.startsWith(`${other}.`) || field.startsWith(`${other}[].`)),
  );

/** Fields that a definition lacks, and how to get them from the package that owns it. */
function lackingNote(
  definition: CustomResourceDefinition,
  lacked: readonly string[],
  packages: readonly string[],
): string {
  const { name, annotations = {} } = definition.metadata;
  const owner = ownerOf(definition);
  const version = annotations[definitionVersionAnnotation];
  const problem = `the definition ${name} lacks ${lacked.join(', ')}, so the API server drops these fields`;
  if (owner === undefined || packages.includes(owner))
    return `${problem}: install the definitions of this version`;
  const package_ = version === undefined ? owner : `${owner} ${version}`;
  return `${problem}. It belongs to the package ${package_}: upgrade that, or start this process once with --install-crds --take-definitions`;
}

/** Keeps the process from acting on a kind whose served definition lacks fields that its guards need. */
export interface DefinitionGuard {
  /** One sentence for the administrator about each served definition that lacks fields of its kind. */
  notes(): readonly string[];
  /**
   * Rejects with `definitionOutdated` if the served definition lacks one of the fields. Call it before each list and watch:
   * the API server ends all watches of a kind whose definition changes.
   */
  admit(kind: Kind, fields: readonly string[], signal: AbortSignal): Promise<void>;
  /**
   * Errors if a kind that was admitted is no longer admitted, because an older definition has replaced the newer one, or
   * RBAC now lets this process read the definition. The process must end then: it may hold objects without these fields.
   * Never emits or completes.
   */
  readonly run$: Observable<never>;
}

export interface DefinitionGuardOptions extends Pick<InstallCrdsOptions, 'log'> {
  readonly client: Pick<KubernetesClient, 'get'>;
  /** All fields of a kind, by its own definition; default: none. The process works without those that are no guards. */
  readonly fieldsOf?: (kind: Kind) => readonly string[];
  /** The packages whose definitions this process installs: theirs need no flag to take them over. Default: none. */
  readonly packages?: readonly string[];
}

/** Reads the definitions one by one, by name. If RBAC does not allow that, every kind is admitted, with one warning. */
export function definitionGuard({
  client,
  log,
  fieldsOf = () => [],
  packages = [],
}: DefinitionGuardOptions): DefinitionGuard {
  const admitted = new Set<string>();
  const notes = new Map<string, string>();
  const replaced$ = new Subject<never>();
  let hasWarned = false;

  /** Reads a definition. Undefined if it cannot be read, so that it is not known whether it exists. */
  async function read(
    name: string,
    signal: AbortSignal,
  ): Promise<CustomResourceDefinition | 'absent' | undefined> {
    try {
      return await client.get(CustomResourceDefinitionKind, { name }, signal);
    } catch (error) {
      if (isForbidden(error) && !hasWarned) {
        hasWarned = true;
        log.warn(
          'not allowed to read definitions, so a definition that is too old is not noticed: update the roles (see deploy/)',
          { error },
        );
      }
      if (isNotFound(error)) return 'absent';
      if (isForbidden(error)) return undefined;
      throw error;
    }
  }

  /** Notes the fields that the served definition lacks, and logs them if they have changed. */
  function note(kind: Kind, definition: CustomResourceDefinition): void {
    const key = kindKey(kind);
    const lacked = outermost(lackedFields(definition, kind.version, fieldsOf(kind)));
    if (lacked.length === 0) {
      notes.delete(key);
      return;
    }
    const text = lackingNote(definition, lacked, packages);
    if (notes.get(key) !== text) log.warn(text);
    notes.set(key, text);
  }

  return {
    notes: () => [...notes.values()].toSorted(),
    async admit(kind, fields, signal) {
      if (fields.length === 0 && fieldsOf(kind).length === 0) return;
      const definition = await read(`${kind.plural}.${kind.group}`, signal);
      // There are no objects to read, so an older definition may follow. A kind that was admitted before stays admitted.
      if (definition === 'absent') return;
      if (definition !== undefined) note(kind, definition);
      const lacked = definition === undefined ? [] : lackedFields(definition, kind.version, fields);
      const key = kindKey(kind);
      if (lacked.length === 0) {
        admitted.add(key);
        return;
      }
      const error = definitionOutdated(lacked);
      if (admitted.has(key)) {
        replaced$.error(
          new Error(`an older definition of ${key} is installed: ${error.message}`, { cause: error }),
        );
      }
      throw error;
    },
    run$: replaced$,
  };
}
