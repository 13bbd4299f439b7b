import type { KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { externalName } from '../../../apis/core/v1alpha1/meta.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import { decodeDetails } from '../../../apis/core/v1alpha1/secret.ts';
import { recordedName } from './recorded-name.ts';

/*
 * The rules of docs/decision-tables.md for a cloud database at rest: from the object, its provider, its
 * Secret and the database itself, without a line of the controllers.
 */

/** A database as the cloud has it. */
export interface Database {
  readonly name: string;
  readonly level: number;
  readonly version: string;
  readonly password: string;
  readonly tags: Readonly<Record<string, string>>;
}

export interface Surroundings {
  /** The databases of the system that its provider leads to; undefined: it leads to none. */
  readonly databases: readonly Database[] | undefined;
  readonly secret: Secret | undefined;
  /** The secret, or the entry of a secret store, that it is to publish to and that is another's: `namespace/name`. */
  readonly taken: string | undefined;
}

type Action = 'Observe' | 'Create' | 'Update' | 'Delete' | 'LateInitialize';

export const allows = ({ spec: { managementPolicies = ['*'] } }: Managed, action: Action): boolean =>
  managementPolicies.includes('*') || managementPolicies.includes(action);

export const isPaused = ({ metadata, spec }: Managed): boolean =>
  metadata.annotations?.['crossplane.io/paused'] === 'true' || spec.managementPolicies?.length === 0;

const supported = new Set(
  ['O', 'CO', 'CLO', 'CDO', 'CDLO', 'COU', 'CLOU', 'CDOU', 'CDLOU', 'DO', 'OU', 'LO', 'LOU', '*'].map(
    (each) => [...each].toSorted().join(''),
  ),
);

const isSupported = ({ spec: { managementPolicies = ['*'] } }: Managed): boolean =>
  supported.has([...new Set(managementPolicies.map((each) => each.charAt(0)))].toSorted().join(''));

/** The level and version that a resource asks for, whatever its cloud calls them. */
interface Wanted {
  readonly level: number | undefined;
  readonly version: string | undefined;
}

export function wantedOf({ spec }: Managed): Wanted {
  const forProvider = (spec.forProvider ?? {}) as {
    readonly fancinessLevel?: number;
    readonly ambivalence?: number;
    readonly version?: string;
    readonly engineVersion?: string;
  };
  return {
    level: forProvider.fancinessLevel ?? forProvider.ambivalence,
    version: forProvider.version ?? forProvider.engineVersion,
  };
}

const ownerTag = ({ kind, apiVersion }: KubernetesObject): string =>
  `${kind}.${apiVersion.split('/')[0]}`.toLowerCase();

const ownershipOf = (managed: Managed, { tags }: Database): 'ours' | 'nobody' | 'foreign' => {
  const [kind, name] = [tags['crossplane-kind'], tags['crossplane-name']];
  if (kind === undefined && name === undefined) return 'nobody';
  return kind === ownerTag(managed) && name === managed.metadata.name ? 'ours' : 'foreign';
};

const condition = ({ status }: Managed, type: string) =>
  status?.conditions?.find((each) => each.type === type);

/**
 * The request of its author cannot be served, and it reports that: a missing reference, a network of another
 * owner, a password.
 */
const isRefused = (synced: ReturnType<typeof condition>): boolean =>
  synced?.status === 'False' &&
  [
    /^cannot resolve references: /,
    /: StoreConfig \S+ does not exist/,
    /network_?id/i,
    /has no effect/,
    /password/,
  ].some((each) => each.test(synced.message ?? ''));

/** Policies without Update, and no record that the credential of the Secret is applied: a backup does not bring the record. */
function isCredentialMissing(managed: Managed): boolean {
  const { writeConnectionSecretToRef: to, publishConnectionDetailsTo: store } = managed.spec;
  const isObserver = !(['Create', 'Update', 'Delete'] as const).some((action) => allows(managed, action));
  const isPublished = to !== undefined || store !== undefined;
  return isPublished && !isObserver && !allows(managed, 'Update') && !managed.status?.credential?.hmac;
}

/** The differences from the expected state of a managed database that is not being deleted. */
export function faultsOf(managed: Managed, { databases, secret, taken }: Surroundings): readonly string[] {
  const [ready, synced] = [condition(managed, 'Ready'), condition(managed, 'Synced')];
  const says = (type: 'Ready' | 'Synced', wanted: 'True' | 'False', why: string): readonly string[] => {
    const is = type === 'Ready' ? ready : synced;
    return is?.status === wanted
      ? []
      : [`${type} is ${is?.status} (${is?.reason}), and ${why}: ${is?.message}`];
  };
  if (isPaused(managed))
    return synced?.reason === 'ReconcilePaused' ? [] : ['it is paused, and does not say so'];
  if (!isSupported(managed)) return says('Synced', 'False', 'its management policies are no supported set');
  if (taken !== undefined && !isRefused(synced)) {
    return [
      ...says('Ready', 'False', `${taken} is another’s`),
      ...(synced?.status === 'False' && synced.message?.includes(taken)
        ? []
        : [`Synced does not say that ${taken} is another’s: ${synced?.message}`]),
    ];
  }
  if (databases === undefined) return says('Synced', 'False', 'its provider leads nowhere');
  const recorded = recordedName(managed);
  const found = databases.find(({ name }) => name === recorded);
  const isObserver = !(['Create', 'Update', 'Delete'] as const).some((action) => allows(managed, action));
  if (found === undefined) {
    if (isRefused(synced)) return []; // not observed: the value of its reference is not known
    if (isObserver) {
      const why = 'what it observes does not exist';
      return [...says('Ready', 'False', why), ...says('Synced', 'False', why)];
    }
    return allows(managed, 'Create')
      ? synced?.status === 'False'
        ? []
        : ['there is nothing outside']
      : says('Ready', 'False', 'there is nothing outside, which it may not create');
  }
  if ((externalName(managed) ?? recorded) !== recorded) {
    return says('Synced', 'False', 'an edit of its name has no effect');
  }
  const ownership = ownershipOf(managed, found);
  if (ownership === 'foreign' && !isObserver) {
    return says('Synced', 'False', 'what has its name outside is somebody else’s');
  }
  const isSeen = managed.status?.externalIdentity !== undefined;
  if (ownership === 'nobody' && !isObserver && !isSeen) {
    return says('Synced', 'False', 'what has its name outside is not known to be its own');
  }
  const { level, version } = wantedOf(managed);
  if (isRefused(synced)) return [];
  const isFixed = version !== undefined && version !== found.version && allows(managed, 'Update');
  const published = decodeDetails(secret).password;
  // Without Update no credential is set, and without Create none was.
  const isKept = managed.spec.writeConnectionSecretToRef !== undefined && allows(managed, 'Update');
  const why = isFixed
    ? 'its version cannot be changed'
    : 'without Update the credential of its Secret cannot be set, and none is recorded as applied';
  return [
    ...(isKept && published === undefined ? ['its Secret has no password'] : []),
    ...(isKept && published !== undefined && published !== found.password
      ? ['the password in its Secret does not work']
      : []),
    ...(allows(managed, 'Update') && level !== undefined && level !== found.level
      ? [`outside it has level ${found.level}, and not ${level}`]
      : []),
    ...(allows(managed, 'Update') || isObserver ? says('Ready', 'True', 'it is there') : []),
    ...(isFixed || isCredentialMissing(managed)
      ? says('Synced', 'False', why)
      : says('Synced', 'True', 'it is as it should be')),
  ];
}
