import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import type { Flags } from '../../../runtime/process/flags.ts';
import { FlagError, parseFlags } from '../../../runtime/process/flags.ts';

type Env = Readonly<Record<string, string>>;
const options = {
  stacks: ['fcp', 'ocp', 'postgresql'],
  optionalStacks: ['toys', 'tests'],
  name: 'my-stacks',
  version: '1.2.3',
};

const own = { ...process.env };
afterEach(() => {
  process.env = own;
});

function flags(argv: readonly string[], env: Env = {}): Flags {
  process.env = { ...env };
  const invocation = parseFlags(argv, options);
  assert.equal(invocation.type, 'run');
  return invocation.flags;
}
function printed(...argv: readonly string[]): string {
  const invocation = parseFlags(argv, options);
  assert.equal(invocation.type, 'print');
  return invocation.text;
}

const defaults: Flags = {
  stacks: ['fcp', 'ocp', 'postgresql'],
  installCrds: false,
  takeDefinitions: false,
  observeOnly: false,
  pollIntervalMs: 60_000,
  syncPeriodMs: 3_600_000,
  maxConcurrentReconciles: 10,
  maxExternalCallsPerSecond: 200,
  leaderElect: true,
  leaderElectionId: 'my-stacks',
  logLevel: 'info',
  logFormat: 'json',
};

describe('flags', () => {
  test('nothing said: the defaults', () => assert.deepEqual(flags([]), defaults));

  /** Flag, variable, a value, and what it becomes. */
  const values: readonly (readonly [flag: string, variable: string, value: string, want: Partial<Flags>])[] =
    [
      ['--kubeconfig', 'KUBECONFIG', '/k', { kubeconfig: '/k' }],
      ['--context', 'CONTEXT', 'prod', { context: 'prod' }],
      ['--stacks', 'STACKS', 'ocp', { stacks: ['ocp'] }],
      ['--stacks', 'STACKS', 'ocp, fcp,ocp', { stacks: ['ocp', 'fcp'] }],
      ['--stacks', 'STACKS', 'toys,ocp', { stacks: ['toys', 'ocp'] }],
      ['--install-crds', 'INSTALL_CRDS', 'true', { installCrds: true }],
      ['--observe-only', 'OBSERVE_ONLY', 'true', { observeOnly: true }],
      ['--namespace', 'NAMESPACE', 'team-a', { namespaces: ['team-a'] }],
      ['--namespace', 'NAMESPACE', 'team-b,team-a', { namespaces: ['team-b', 'team-a'] }],
      ['--poll-interval', 'POLL_INTERVAL', '1h30m', { pollIntervalMs: 5_400_000 }],
      ['--sync-period', 'SYNC_PERIOD', '10m', { syncPeriodMs: 600_000 }],
      ['--max-concurrent-reconciles', 'MAX_CONCURRENT_RECONCILES', '3', { maxConcurrentReconciles: 3 }],
      [
        '--max-external-calls-per-second',
        'MAX_EXTERNAL_CALLS_PER_SECOND',
        '0.5',
        { maxExternalCallsPerSecond: 0.5 },
      ],
      ['--leader-elect', 'LEADER_ELECT', 'true', { leaderElect: true }],
      ['--leader-elect', 'LEADER_ELECT', 'false', { leaderElect: false }],
      ['--leader-election-id', 'LEADER_ELECTION_ID', 'aws.stacks', { leaderElectionId: 'aws.stacks' }],
      ['--enable-external-secret-stores', 'ENABLE_EXTERNAL_SECRET_STORES', 'true', {}],
      ['--leader-election-namespace', 'LEADER_ELECTION_NAMESPACE', 'x', { leaderElectionNamespace: 'x' }],
      [
        '--metrics-bind-address',
        'METRICS_BIND_ADDRESS',
        '127.0.0.1:8080',
        { metricsBindAddress: { host: '127.0.0.1', port: 8080 } },
      ],
      ['--metrics-bind-address', 'METRICS_BIND_ADDRESS', '0', {}],
      ['--metrics-bind-address', 'METRICS_BIND_ADDRESS', ':8080', { metricsBindAddress: { port: 8080 } }],
      [
        '--health-probe-bind-address',
        'HEALTH_PROBE_BIND_ADDRESS',
        '[::1]:0',
        { healthProbeBindAddress: { host: '::1', port: 0 } },
      ],
      ['--log-level', 'LOG_LEVEL', 'debug', { logLevel: 'debug' }],
      ['--log-format', 'LOG_FORMAT', 'pretty', { logFormat: 'pretty' }],
    ];
  for (const [flag, variable, value, want] of values) {
    test(`${flag} ${value}`, () => assert.deepEqual(flags([flag, value]), { ...defaults, ...want }));
    test(`${flag}=${value}`, () => assert.deepEqual(flags([`${flag}=${value}`]), { ...defaults, ...want }));
    test(`SERVICES_STACK_${variable}=${value}`, () =>
      assert.deepEqual(flags([], { [`SERVICES_STACK_${variable}`]: value }), { ...defaults, ...want }));
  }

  test('--secret-namespaces holds those of the claims, once', () => {
    const args = ['--namespace', 'team-a,team-b', '--secret-namespaces', 'credentials,team-a'];
    const secretNamespaces = ['team-a', 'team-b', 'credentials'];
    assert.deepEqual(flags(args), { ...defaults, namespaces: ['team-a', 'team-b'], secretNamespaces });
  });
  test('--take-definitions is refused without --install-crds', () =>
    assert.throws(() => flags(['--take-definitions']), {
      message: '--take-definitions requires --install-crds, which installs definitions',
    }));

  test('--take-definitions is accepted with --install-crds', () =>
    assert.equal(flags(['--install-crds', '--take-definitions']).takeDefinitions, true));

  test('a boolean flag alone is true', () => assert.equal(flags(['--install-crds']).installCrds, true));
  test('a boolean flag does not take the next flag for its value', () =>
    assert.deepEqual(flags(['--install-crds', '--stacks', 'fcp']), {
      ...defaults,
      installCrds: true,
      stacks: ['fcp'],
    }));
  test('a flag wins over its variable', () =>
    assert.equal(flags(['--log-level', 'warn'], { SERVICES_STACK_LOG_LEVEL: 'debug' }).logLevel, 'warn'));
  test('of a flag given twice the last one counts', () =>
    assert.equal(flags(['--log-level', 'warn', '--log-level', 'error']).logLevel, 'error'));
  test('an empty variable is absent', () =>
    assert.deepEqual(flags([], { SERVICES_STACK_NAMESPACE: '', SERVICES_STACK_LOG_LEVEL: '' }), defaults));
  test("variables that are not ours, and Kubernetes' service links, are no concern", () =>
    assert.deepEqual(
      flags([], {
        KUBECONFIG: '/k',
        SERVICES_STACK_SERVICE_HOST: '10.0.0.1',
        SERVICES_STACK_SERVICE_PORT: '8080',
        SERVICES_STACK_SERVICE_PORT_METRICS: '8080',
        SERVICES_STACK_PORT: 'tcp://10.0.0.1:8080',
        SERVICES_STACK_PORT_8080_TCP: 'tcp://10.0.0.1:8080',
        SERVICES_STACK_PORT_8080_TCP_ADDR: '10.0.0.1',
        SERVICES_STACK_METRICS_SERVICE_HOST: '10.0.0.1',
      }),
      defaults,
    ));

  /** The text that the message must have: the flag or variable that is wrong, and the allowed values. */
  const refused: readonly (readonly [argv: readonly string[], env: Env, ...messages: readonly string[]])[] = [
    [['--nope'], {}, '--nope', '--poll-interval', '--log-format'],
    [['--pol-interval', '1m'], {}, '--pol-interval', 'Did you mean --poll-interval?'],
    [['stray'], {}, 'stray', '--stacks'],
    [['--poll-interval'], {}, '--poll-interval', '30s'],
    [
      [],
      { SERVICES_STACK_POL_INTERVAL: '1m' },
      'SERVICES_STACK_POL_INTERVAL',
      'SERVICES_STACK_POLL_INTERVAL',
    ],
    [['--poll-interval', '60'], {}, '--poll-interval', '"60"', '30s'],
    [['--poll-interval', '0s'], {}, '--poll-interval', '"0s"'],
    [[], { SERVICES_STACK_SYNC_PERIOD: '1d' }, 'SERVICES_STACK_SYNC_PERIOD', '"1d"', '1h30m'],
    [['--stacks', 'fcp,aws'], {}, '--stacks', '"fcp,aws"', 'fcp, ocp, postgresql'],
    [['--stacks', ','], {}, '--stacks', 'fcp, ocp, postgresql'],
    [['--namespace', 'Team A'], {}, '--namespace: "Team A"', 'lower-case'],
    [['--namespace', 'team-a,Team'], {}, '--namespace: "team-a,Team"', 'lower-case'],
    [['--namespace', 'team-a,'], {}, '--namespace: "team-a,"', 'commas'],
    [['--namespace', 'team-a,,team-b'], {}, '--namespace: "team-a,,team-b"', 'commas'],
    [['--namespace', 'team-a, team-b'], {}, '--namespace: "team-a, team-b"', 'no spaces'],
    [['--namespace', 'team-a,team-b,team-a'], {}, '--namespace: "team-a,team-b,team-a"', 'each once'],
    [[], { SERVICES_STACK_NAMESPACE: ' ' }, 'SERVICES_STACK_NAMESPACE: " "', 'names of namespaces'],
    [['--namespace', 'a', '--secret-namespaces', 'b,b'], {}, '--secret-namespaces: "b,b"', 'each once'],
    [['--namespace', 'a', '--secret-namespaces', 'b,'], {}, '--secret-namespaces', '"b,"', 'commas'],
    [['--secret-namespaces', 'b'], {}, '--secret-namespaces requires --namespace'],
    [['--max-concurrent-reconciles', '0'], {}, '--max-concurrent-reconciles', '"0"', 'from 1 to 1000'],
    [['--max-concurrent-reconciles', '1.5'], {}, '--max-concurrent-reconciles', '"1.5"'],
    [['--max-concurrent-reconciles', '-1'], {}, '--max-concurrent-reconciles', '"-1"'],
    [['--max-external-calls-per-second', 'NaN'], {}, '--max-external-calls-per-second', '"NaN"'],
    [['--leader-elect=yes'], {}, '--leader-elect', '"yes"', 'true or false'],
    [['--leader-election-id', 'AWS'], {}, '--leader-election-id: "AWS"', 'the name of a Lease'],
    [['--leader-election-id', 'aws.'], {}, '--leader-election-id: "aws."', 'the name of a Lease'],
    [['--metrics-bind-address', '8080'], {}, '--metrics-bind-address', '"8080"', 'host:port'],
    [['--health-probe-bind-address', ':99999'], {}, '--health-probe-bind-address', '":99999"'],
    [['--log-level', 'trace'], {}, '--log-level', '"trace"', 'debug, info, warn, error'],
    [[], { SERVICES_STACK_LOG_FORMAT: 'JSON' }, 'SERVICES_STACK_LOG_FORMAT', '"JSON"', 'json, pretty'],
  ];
  for (const [argv, env, ...messages] of refused) {
    test(`refused: ${[...argv, ...Object.entries(env).map((pair) => pair.join('='))].join(' ')}`, () =>
      assert.throws(
        () => {
          process.env = { ...env };
          parseFlags(argv, options);
        },
        (error: unknown) => {
          assert.ok(error instanceof FlagError);
          assert.equal(error.exitCode, 2);
          for (const part of messages)
            assert.ok(error.message.includes(part), `"${part}" in "${error.message}"`);
          return true;
        },
      ));
  }

  test('--version prints the version', () => assert.equal(printed('--version'), '1.2.3\n'));
  test('--help names every flag with its default, and the variables', () => {
    const text = printed('--help');
    for (const [flag] of values) assert.ok(text.includes(`${flag} `), flag);
    for (const part of [
      'only if they are named: toys, tests (default fcp,ocp,postgresql)',
      'default 1m',
      'default 200',
      'SERVICES_STACK_POLL_INTERVAL',
    ]) {
      assert.ok(text.includes(part), part);
    }
  });
});
