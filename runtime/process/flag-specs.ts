import { logFormats, logLevels } from '../log/log.ts';
import { parseBindAddress } from '../probes/serve-http.ts';
import { parseDuration } from '../time/duration.ts';

/** One flag. `parse` answers undefined for a bad value. */
export interface FlagSpec<T> {
  /** As in help: `--poll-interval <duration>`. An argument in brackets may be left out, which means `true`. */
  readonly usage: string;
  readonly description: string;
  readonly default: string;
  /** What a value may be: the end of a sentence. */
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

/** Stricter than other lists: a name that is there twice is likely to be meant for another. */
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

/** Whoever lets others read says so in full. */
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

/** The texts between commas, each once. */
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

/** The names of a process: those that `--stacks` may list, and its own. */
export interface ProcessNames {
  readonly stacks: readonly string[];
  /** The default of `--leader-election-id`. */
  readonly name: string;
}

/** Every flag of the process by the name its value goes by. */
export const flagSpecs = ({ stacks, name }: ProcessNames) => ({
  kubeconfig: {
    usage: '--kubeconfig <path>',
    description: 'credentials of the API server; without it $KUBECONFIG, ~/.kube/config or in-cluster',
    default: '',
    allowed: 'the path of a file',
    parse: (text: string) => text,
  },
  stacks: {
    usage: '--stacks <names>',
    description: 'the stacks to run',
    default: stacks.join(','),
    ...listOf(stacks),
  },
  installCrds: {
    usage: '--install-crds [boolean]',
    description: 'install or update the custom resource definitions first',
    default: 'false',
    ...flag,
  },
  namespace: {
    usage: '--namespace <names>',
    description: 'serve the claims of these namespaces only; without it those of all',
    default: '',
    ...namespaceNames,
  },
  secretNamespaces: {
    usage: '--secret-namespaces <names>',
    description:
      'with --namespace: beside those, the only namespaces whose secrets are watched, read and written',
    default: '',
    ...namespaceNames,
  },
  pollInterval: {
    usage: '--poll-interval <duration>',
    description: 'how often each external resource is looked at',
    default: '1m',
    ...duration,
  },
  syncPeriod: {
    usage: '--sync-period <duration>',
    description: 'how often every object is reconciled, however quiet the cluster',
    default: '1h',
    ...duration,
  },
  maxConcurrentReconciles: {
    usage: '--max-concurrent-reconciles <number>',
    description: 'reconciles at a time, per controller',
    default: '10',
    ...numberFrom(/^\d+$/, 1, 1000, 'a whole number from 1 to 1000'),
  },
  maxExternalCallsPerSecond: {
    usage: '--max-external-calls-per-second <number>',
    description: 'calls of external systems per second and provider in the long run; ten times that at once',
    default: '200', // enough to look at 10,000 resources once a minute
    ...numberFrom(/^\d+(\.\d+)?$/, 0.01, 100_000, 'a number from 0.01 to 100000'),
  },
  leaderElect: {
    usage: '--leader-elect [boolean]',
    description: 'work only while holding the lease; false: this is the only process',
    default: 'true',
    ...flag,
  },
  leaderElectionId: {
    usage: '--leader-election-id <name>',
    description: 'the name of the lease; of all processes with the same lease one works',
    default: name,
    ...leaseName,
  },
  leaderElectionNamespace: {
    usage: '--leader-election-namespace <name>',
    description: 'the namespace of the lease; --install-crds creates it if it does not exist',
    default: 'crossplane-system',
    ...namespaceName,
  },
  metricsBindAddress: {
    usage: '--metrics-bind-address <address>',
    description: 'where /metrics is served (127.0.0.1:8080, or :8080 for every interface; 0: nowhere)',
    default: '0',
    ...address,
  },
  healthProbeBindAddress: {
    usage: '--health-probe-bind-address <address>',
    description: 'where /healthz and /readyz are served; as above',
    default: '0',
    ...address,
  },
  dashboardBindAddress: {
    usage: '--dashboard-bind-address <address>',
    description: 'where the live page is served, as 127.0.0.1:8082; it asks nobody who he is (0: nowhere)',
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
    description: 'json: an object per line; pretty: lines for people',
    default: 'json',
    ...oneOf(logFormats),
  },
});
