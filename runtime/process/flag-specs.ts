import { logFormats, logLevels } from '../log/log.ts';
import { parseBindAddress } from '../probes/serve-http.ts';
import { parseDuration } from '../time/duration.ts';

/** One flag. `parse` returns undefined for an invalid value. */
export interface FlagSpec<T> {
  /** As in help: `--poll-interval <duration>`. An argument in brackets is optional; without it the value is `true`. */
  readonly usage: string;
  readonly description: string;
  readonly default: string;
  /** The valid values, as the end of the sentence "it must be …". */
  readonly allowed: string;
  readonly parse: (text: string) => T | undefined;
}

const duration = { allowed: 'a positive duration such as 30s, 5m or 1h30m', parse: parseDuration };

const flag = {
  allowed: 'true or false',
  parse: (text: string) => (text === 'true' ? true : text === 'false' ? false : undefined),
};

/** DNS-1123 label, the form of a namespace's name. */
const isNamespaceName = (text: string): boolean => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text);

const namespaceName = {
  allowed: 'the name of a namespace (lower-case letters, digits and dashes)',
  parse: (text: string) => (isNamespaceName(text) ? text : undefined),
};

/** DNS-1123 subdomain, the form of a Lease's name. */
const leaseName = {
  allowed: 'the name of a Lease (lower-case letters, digits, dashes and dots)',
  parse: (text: string) => (text.length <= 253 && text.split('.').every(isNamespaceName) ? text : undefined),
};

/** Stricter than other lists: a name that is given twice is probably a mistake for another name. */
const namespaceNames = {
  allowed:
    'names of namespaces (lower-case letters, digits and dashes), each once, with commas between them and no spaces',
  parse(text: string): readonly string[] | undefined {
    const given = text.split(',');
    return given.every(isNamespaceName) && new Set(given).size === given.length ? given : undefined;
  },
};

const address = {
  allowed: 'host:port, :port for every interface, or 0 for none',
  parse: parseBindAddress,
};

/** The host is required, so that a page for everyone is a deliberate choice. */
const fullAddress = {
  allowed: 'host:port, with 0.0.0.0 or [::] for every interface, or 0 for none',
  parse(text: string): ReturnType<typeof parseBindAddress> {
    const address = parseBindAddress(text);
    return typeof address === 'object' && address.host === undefined ? undefined : address;
  },
};

const oneOf = <T extends string>(values: readonly T[]) => ({
  allowed: `one of ${values.join(', ')}`,
  parse: (text: string) => values.find((value) => value === text),
});

/** The comma-separated texts, each once. */
const splitList = (text: string): readonly string[] => [
  ...new Set(text.split(',').map((each) => each.trim())),
];

function listOf(known: readonly string[]) {
  return {
    allowed: `a list, separated by commas, of ${known.join(', ')}`,
    parse(text: string): readonly string[] | undefined {
      const given = splitList(text);
      return given.every((name) => known.includes(name)) ? given : undefined;
    },
  };
}

function numberFrom(pattern: RegExp, min: number, max: number, allowed: string) {
  return {
    allowed,
    parse(text: string): number | undefined {
      const number = pattern.test(text) ? Number(text) : Number.NaN;
      return number >= min && number <= max ? number : undefined;
    },
  };
}

/** The names for a process: the stacks that `--stacks` may list, and the process's own name. */
export interface ProcessNames {
  /** The stacks that run by default. */
  readonly stacks: readonly string[];
  /** More stacks that `--stacks` may list; default: none. */
  readonly optionalStacks?: readonly string[];
  /** The default of `--leader-election-id`. */
  readonly name: string;
}

/** Every flag of the process, by the name of its value. */
export const flagSpecs = ({ stacks, optionalStacks = [], name }: ProcessNames) => ({
  kubeconfig: {
    usage: '--kubeconfig <path>',
    description: 'path of the kubeconfig file; without it $KUBECONFIG, ~/.kube/config or in-cluster',
    default: '',
    allowed: 'the path of a file',
    parse: (text: string) => text,
  },
  context: {
    usage: '--context <name>',
    description: 'the context of the kubeconfig; without it the current one',
    default: '',
    allowed: 'the name of a context',
    parse: (text: string) => text,
  },
  stacks: {
    usage: '--stacks <names>',
    description:
      optionalStacks.length === 0
        ? 'the stacks to run'
        : `the stacks to run; these run only if they are named: ${optionalStacks.join(', ')}`,
    default: stacks.join(','),
    ...listOf([...stacks, ...optionalStacks]),
  },
  installCrds: {
    usage: '--install-crds [boolean]',
    description: 'install or update the custom resource definitions first',
    default: 'false',
    ...flag,
  },
  takeDefinitions: {
    usage: '--take-definitions [boolean]',
    description: 'with --install-crds: replace definitions of other packages, too, and own them from then on',
    default: 'false',
    ...flag,
  },
  enableExternalSecretStores: {
    usage: '--enable-external-secret-stores [boolean]',
    description: 'accepted, because guides of Crossplane name it: secret stores are always on',
    default: 'true',
    allowed: 'true: secret stores cannot be turned off',
    parse: (text: string) => (text === 'true' ? true : undefined),
  },
  observeOnly: {
    usage: '--observe-only [boolean]',
    description: 'observe external systems and change nothing there, such as to rehearse a restore',
    default: 'false',
    ...flag,
  },
  namespace: {
    usage: '--namespace <names>',
    description: 'serve the claims of these namespaces only; without it the claims of all namespaces',
    default: '',
    ...namespaceNames,
  },
  secretNamespaces: {
    usage: '--secret-namespaces <names>',
    description:
      'with --namespace: more namespaces whose Secrets are watched, read and written; those of no others are',
    default: '',
    ...namespaceNames,
  },
  pollInterval: {
    usage: '--poll-interval <duration>',
    description: 'how often each external resource is observed',
    default: '1m',
    ...duration,
  },
  syncPeriod: {
    usage: '--sync-period <duration>',
    description: 'how often every object is reconciled, even if nothing changes',
    default: '1h',
    ...duration,
  },
  maxConcurrentReconciles: {
    usage: '--max-concurrent-reconciles <number>',
    description:
      'how many objects a controller reconciles at a time; at most 3 for claims, 6 for their Secrets',
    default: '10',
    ...numberFrom(/^\d+$/, 1, 1000, 'a whole number from 1 to 1000'),
  },
  maxExternalCallsPerSecond: {
    usage: '--max-external-calls-per-second <number>',
    description:
      'calls of external systems per second and provider in the long run; a burst may have ten times as many',
    default: '200', // enough to observe 10,000 resources once a minute
    ...numberFrom(/^\d+(\.\d+)?$/, 0.01, 100_000, 'a number from 0.01 to 100000'),
  },
  leaderElect: {
    usage: '--leader-elect [boolean]',
    description: 'work only while this process holds the Lease; false: this is the only process',
    default: 'true',
    ...flag,
  },
  leaderElectionId: {
    usage: '--leader-election-id <name>',
    description: 'the name of the Lease; only one of the processes with the same Lease works',
    default: name,
    ...leaseName,
  },
  leaderElectionNamespace: {
    usage: '--leader-election-namespace <name>',
    description:
      'the namespace of the Lease; --install-crds creates it if it does not exist (default: that of the pod; outside of a pod crossplane-system)',
    default: '',
    ...namespaceName,
  },
  metricsBindAddress: {
    usage: '--metrics-bind-address <address>',
    description:
      'the address of /metrics, such as 127.0.0.1:8080, or :8080 for every interface (0: not served)',
    default: '0',
    ...address,
  },
  healthProbeBindAddress: {
    usage: '--health-probe-bind-address <address>',
    description: 'the address of /healthz and /readyz; in the same form',
    default: '0',
    ...address,
  },
  dashboardBindAddress: {
    usage: '--dashboard-bind-address <address>',
    description:
      'the address of the live page, such as 127.0.0.1:8082; it has no authentication (0: not served)',
    default: '0',
    ...fullAddress,
  },
  logLevel: {
    usage: '--log-level <level>',
    description: `the least important level that is logged (${logLevels.join(', ')})`,
    default: 'info',
    ...oneOf(logLevels),
  },
  logFormat: {
    usage: '--log-format <format>',
    description: 'json: one object per line; pretty: readable lines',
    default: 'json',
    ...oneOf(logFormats),
  },
});
