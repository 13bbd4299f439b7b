import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { annotationKeys } from '../../apis/core/v1alpha1/meta.ts';
import { encodeDetails, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import type { Carrier } from '../../clients/http.ts';
import type { ManagedService } from '../../controllers/managed/setup.ts';
import { favouriteCloudClient } from '../../stacks/demo-clouds/client/favourite-cloud.ts';
import { createFcpStack } from '../../stacks/demo-clouds/fcp/stack.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { FavouriteDBInstanceKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { NetworkKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/network.ts';
import { putFancySqlExample } from '../fakes/fancysql-example.ts';
import { inProcessCloud } from '../fakes/in-process-cloud.ts';
import { objectOf } from '../fakes/object-of.ts';
import { Simulation } from '../fakes/simulation.ts';
import type { RuleGroup, Series } from './promtool.ts';
import { promtool, ruleGroups, testRules, withoutPromtool } from './promtool.ts';

const minuteMs = 60_000;
const url = 'http://127.0.0.1:18080';
const groups = ruleGroups();
const used = new Set(
  groups.flatMap(({ rules }) => rules.flatMap(({ expr }) => expr.match(/[a-z]+_[a-z_]+/g) ?? [])),
);

/** The alerts about any object: for a fault only their names matter. */
const anonymous: readonly RuleGroup[] = groups.map(({ name, rules }) => ({
  name,
  rules: rules.map((rule) => ({ ...rule, expr: `group(${rule.expr})`, labels: {} })),
}));

/** The production process with one cloud and the examples' classes, scraped once a minute of its own time. */
class Recorded {
  readonly simulation = new Simulation({ seed: 1, concurrency: 2, logLevel: 'info' });
  readonly cloud = inProcessCloud(this.simulation.clock, { url, provisioningMs: 20_000 });
  readonly #samples = new Map<string, string[]>();
  #minutes = 0;
  /** The stack has a bug. */
  isBroken = false;
  /** How long each request is on its way. */
  wayMs = 0;
  readonly #carrier: Carrier = {
    request: async (request) => {
      if (this.wayMs > 0) await this.simulation.clock.sleep(this.wayMs, request.signal);
      return this.cloud.dispatcher.request(request);
    },
  };

  constructor() {
    const { cluster } = this.simulation;
    putFancySqlExample(cluster, ['favourite']);
    const stack = createFcpStack({
      createClient: (options) => favouriteCloudClient({ ...options, dispatcher: this.#carrier }),
    });
    this.simulation.start([
      { ...stack, managed: (env) => stack.managed(env).map((one) => this.#breakable(one)) },
    ]);
  }

  #breakable(service: ManagedService): ManagedService {
    const connect: ManagedService['connector']['connect'] = async (managed, signal) => {
      if (this.isBroken) throw new TypeError('nothing is not a function');
      return service.connector.connect(managed, signal);
    };
    return { ...service, connector: { connect } };
  }

  claim(name: string, spec: object = { classSelector: { matchLabels: { size: 'small' } } }): void {
    const claim = { spec: { ...spec, writeConnectionSecretToRef: { name } } };
    const metadata = { namespace: 'team', name };
    this.simulation.cluster.create(FancySQLInstanceKind, objectOf(FancySQLInstanceKind, metadata, claim));
  }

  /** So many minutes go by, with a scrape each; where nothing changes one in four will do. */
  async pass(minutes: number, isQuiet = false): Promise<void> {
    const { simulation } = this;
    const step = isQuiet ? 4 : 1;
    for (let passed = 0; passed < minutes; passed += step) {
      const page = await simulation.scrape();
      for (const line of page.split('\n')) {
        const [, series = '', name = '', value = ''] = /^(([a-z_]+)(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
        if (!used.has(name)) continue;
        const values = this.#samples.get(series) ?? [];
        // A series that comes later has had no samples until now.
        while (values.length < this.#minutes) values.push('_');
        values.push(value);
        this.#samples.set(series, values);
      }
      this.#minutes += step;
      await simulation.clock.advance(step * minuteMs);
    }
  }

  get minutes(): number {
    return this.#minutes;
  }

  get series(): readonly Series[] {
    return [...this.#samples].map(([series, values]) => {
      const missing = Array.from({ length: this.#minutes - values.length }, () => '_');
      return { series, values: [...values, ...missing].join(' ') };
    });
  }
}

interface Fault {
  /** The events of one bound claim, `orders`, and the other objects. */
  readonly befall: (recorded: Recorded) => void | Promise<void>;
  /** For how long. */
  readonly minutes: number;
  readonly isQuiet?: boolean;
  readonly alerts: readonly string[];
  /** The text of a log line about it, at level info; absent: no object is the cause. */
  readonly line?: RegExp;
}

const outage = (recorded: Recorded): void =>
  recorded.cloud.faults.inject({ kind: 'fail', status: 503, times: 1e9 });
const failing = ['ServicesStackNotSynced', 'ServicesStackProviderFailing'];
const unusable = [...failing, 'ServicesStackProviderConfigNotReady'];

const faults: Readonly<Record<string, Fault>> = {
  'nothing at all': { befall: () => {}, minutes: 75, alerts: [] },
  'no class matches': {
    befall: (recorded) => recorded.claim('dreams', { classSelector: { matchLabels: { size: 'huge' } } }),
    minutes: 90,
    alerts: ['ServicesStackClaimsWaitForAuthor'],
    line: /"Ready".*"NoMatchingClass"/,
  },
  'a value that the cloud refuses': {
    befall(recorded) {
      recorded.cloud.faults.inject({ kind: 'fail', status: 400, method: 'POST', times: 1e9 });
      recorded.claim('later');
    },
    minutes: 90,
    alerts: ['ServicesStackClaimsWaitForAuthor'],
    line: /reconcile failed.*cannot create .*\(400/,
  },
  "a team's immutable Secret whose credential changed": {
    befall({ simulation: { cluster } }) {
      cluster.patch(SecretKind, { namespace: 'team', name: 'orders' }, { immutable: true });
      const [resource] = cluster.all(FavouriteDBInstanceKind);
      const { namespace = '', name = '' } = resource?.spec.writeConnectionSecretToRef ?? {};
      const source = cluster.get(SecretKind, { namespace, name });
      const data = { ...source?.data, ...encodeDetails({ password: 'another-password' }) };
      cluster.patch(SecretKind, { namespace, name }, { data });
    },
    minutes: 90,
    alerts: ['ServicesStackClaimsWaitForAuthor'],
    line: /reconcile failed.*is immutable/,
  },
  'credentials that are wrong': {
    befall({ simulation: { cluster } }) {
      const secret = cluster.get(SecretKind, { namespace: 'cloud-credentials', name: 'favourite-cloud' });
      const credentials = JSON.stringify({ url, token: 'wrong' });
      cluster.put(SecretKind, { ...secret, data: encodeDetails({ credentials }) });
    },
    minutes: 90,
    alerts: unusable,
    line: /reconcile failed.*\(401 Unauthenticated\)/,
  },
  'a provider that is down, under a new claim': {
    befall(recorded) {
      outage(recorded);
      recorded.claim('later');
    },
    minutes: 90,
    alerts: [...unusable, 'ServicesStackClaimsWait'],
    line: /"claim":"team\/later".*reconcile failed|reconcile failed.*"claim":"team\/later".*\(503 Unavailable\)/,
  },
  'a quota that is used up': {
    befall(recorded) {
      recorded.cloud.faults.inject({ kind: 'fail', status: 507, method: 'POST', times: 1e9 });
      recorded.claim('later');
    },
    minutes: 90,
    alerts: ['ServicesStackNotSynced', 'ServicesStackClaimsWait'],
    line: /reconcile failed.*cannot create .*\(507/,
  },
  'an instance that is deleted in the cloud': {
    befall(recorded) {
      for (const { item } of recorded.cloud.instances()) recorded.cloud.lose(item.name);
    },
    minutes: 20,
    isQuiet: true,
    alerts: ['ServicesStackDataLost'],
    line: /LostExternalResource/,
  },
  'a managed resource that is paused': {
    befall({ simulation: { cluster } }) {
      for (const { metadata } of cluster.all(FavouriteDBInstanceKind)) {
        const annotations = { [annotationKeys.paused]: 'true' };
        cluster.patch(FavouriteDBInstanceKind, metadata, { metadata: { annotations } });
      }
    },
    minutes: 6 * 60 + 20,
    isQuiet: true,
    alerts: ['ServicesStackPaused'],
    line: /"Synced".*"ReconcilePaused"/,
  },
  'a Secret of another owner': {
    befall(recorded) {
      const secret = objectOf(SecretKind, { namespace: 'team', name: 'later' }, { type: 'Opaque' });
      recorded.simulation.cluster.put(SecretKind, secret);
      recorded.claim('later');
    },
    minutes: 90,
    alerts: ['ServicesStackClaimsWaitForAuthor'],
    line: /reconcile failed.*team\/later/,
  },
  'a cloud that does not let go': {
    befall(recorded) {
      recorded.cloud.faults.inject({ kind: 'fail', status: 503, method: 'DELETE', times: 1e9 });
      recorded.simulation.cluster.delete(FancySQLInstanceKind, { namespace: 'team', name: 'orders' });
    },
    minutes: 100,
    alerts: [...failing, 'ServicesStackProviderConfigNotReady', 'ServicesStackDeletionStuck'],
    line: /reconcile failed.*cannot delete .*\(503/,
  },
  'a creation whose end is not known': {
    befall({ simulation: { cluster } }) {
      const annotations = { [annotationKeys.externalCreatePending]: '2026-01-02T03:00:00Z' };
      const spec = { providerRef: { name: 'favourite' }, forProvider: {} };
      cluster.create(NetworkKind, objectOf(NetworkKind, { name: 'back-office', annotations }, { spec }));
    },
    minutes: 20,
    alerts: ['ServicesStackNotSynced'],
    line: /"Synced".*cannot determine creation result/,
  },
  'a stack that throws where it should not': {
    befall(recorded) {
      recorded.isBroken = true;
    },
    minutes: 25,
    alerts: ['ServicesStackBug', 'ServicesStackNotSynced', 'ServicesStackProviderFailing'],
    line: /reconcile met a bug.*nothing is not a function/,
  },
  'a cloud that takes requests and never answers': {
    befall(recorded) {
      for (let index = 0; index < 5; index += 1) recorded.claim(`other-${index}`);
      recorded.cloud.faults.inject({ kind: 'hang', times: 1e9 });
    },
    minutes: 90,
    alerts: [...unusable, 'ServicesStackClaimsWait'],
    line: /reconcile failed.*cannot get .*/,
  },
  'a cloud that is too slow for so many': {
    befall(recorded) {
      recorded.wayMs = 9_000;
      for (let index = 0; index < 20; index += 1) recorded.claim(`other-${index}`);
    },
    minutes: 30,
    alerts: ['ServicesStackPollsLate'],
  },
  'an API server that does not answer, and a client that waits for it for ever': {
    befall: ({ simulation }) => simulation.cut(),
    minutes: 15,
    alerts: ['ServicesStackBlind', 'ServicesStackReconcileStuck'],
  },
  'controllers that are down': {
    befall: (recorded) => recorded.simulation.kill(),
    minutes: 20,
    alerts: ['ServicesStackDown'],
  },
};

describe('each fault fires its alerts', { skip: withoutPromtool }, () => {
  for (const [name, { befall, minutes, isQuiet, alerts, line }] of Object.entries(faults)) {
    test(`${name}: ${alerts.join(', ') || 'none'}`, async () => {
      const recorded = new Recorded();
      recorded.claim('orders');
      await recorded.pass(5);
      await befall(recorded);
      await recorded.pass(minutes, isQuiet);
      const evalTime = `${recorded.minutes - 1}m`;
      recorded.simulation.kill();
      if (line !== undefined) {
        const reported = recorded.simulation.log.filter((each) => line.test(each));
        assert.notEqual(reported.length, 0, recorded.simulation.log.slice(-5).join(''));
        assert.ok(reported.length < 30, `${reported.length} lines`);
      }
      const firing = Object.fromEntries(alerts.map((alert) => [alert, [{}]]));
      const expected = [{ evalTime, firing }];
      const result = await testRules({
        groups: anonymous,
        interval: '1m',
        series: recorded.series,
        expected,
      });
      assert.equal(result, '');
    });
  }

  test('promtool accepts the scraped metrics', async () => {
    const recorded = new Recorded();
    recorded.claim('orders');
    await recorded.pass(2);
    outage(recorded);
    await recorded.pass(2);
    const { code, output } = await promtool(['check', 'metrics'], await recorded.simulation.scrape());
    recorded.simulation.kill();
    assert.deepEqual({ code, output }, { code: 0, output: '' });
  });
});
