import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RuleTest, Series } from './promtool.ts';
import { checkRules, ruleGroups, testRules, withoutPromtool } from './promtool.ts';

const groups = ruleGroups();
const rules = groups.flatMap((group) => group.rules);

type Labels = Readonly<Record<string, string>>;

/** Of each alert: series on which it fires, when, and series that are close to that on which it does not. */
interface Case {
  readonly fires: readonly Series[];
  readonly at: string;
  readonly labels: Labels;
  readonly quiet: readonly Series[];
}

const series = (name: string, values: string): Series => ({ series: name, values });
/** There are processes; else another alert fires. */
const alive = series('services_stack_build_info{version="1"}', '1x300');
const claims = (reason: string, values: string) =>
  series(`services_stack_claims_unready_seconds{kind="A",ready_reason="${reason}"}`, values);
const resources = (labels: string, values: string) =>
  series(`services_stack_managed_resources{kind="A",${labels}}`, values);
const calls = (labels: string, values: string) =>
  series(`services_stack_external_calls_total{stack="fcp",provider="P",${labels}}`, values);

const cases: Readonly<Record<string, Case>> = {
  ServicesStackDown: {
    fires: [series('services_stack_build_info', '1x5 _x60')],
    at: '20m',
    labels: {},
    quiet: [alive],
  },
  ServicesStackNoLeader: {
    fires: [
      series('leader_election_master_status{name="s",pod="a"}', '0x60'),
      series('leader_election_master_status{name="s",pod="b"}', '0x60'),
    ],
    at: '10m',
    labels: { name: 's' },
    quiet: [
      series('leader_election_master_status{name="s",pod="a"}', '0x60'),
      series('leader_election_master_status{name="s",pod="b"}', '1x60'),
    ],
  },
  ServicesStackBlind: {
    fires: [series('services_stack_watch_unconfirmed_seconds{kind="A"}', '0+60x60')],
    at: '10m',
    labels: { kind: 'A' },
    quiet: [
      series('services_stack_watch_unconfirmed_seconds{kind="A"}', '80x60'),
      series('services_stack_watch_unconfirmed_seconds{kind="B"}', '0+60x60'),
      series('services_stack_definition_missing{stack="s",kind="B"}', '1x5'),
    ],
  },
  ServicesStackDefinitionMissing: {
    fires: [series('services_stack_definition_missing{stack="s",kind="A"}', '1x60')],
    at: '20m',
    labels: { stack: 's', kind: 'A' },
    quiet: [series('services_stack_definition_missing{stack="s",kind="A"}', '1x5 _x60')],
  },
  ServicesStackDefinitionOutdated: {
    fires: [series('services_stack_definition_outdated{kind="A"}', '1x60')],
    at: '10m',
    labels: { kind: 'A' },
    quiet: [series('services_stack_definition_outdated{kind="A"}', '1x3 _x60')],
  },
  ServicesStackBug: {
    fires: [series('controller_runtime_reconcile_panics_total{controller="c"}', '0x10 1x60')],
    at: '12m',
    labels: { controller: 'c' },
    quiet: [series('controller_runtime_reconcile_panics_total{controller="c"}', '3x60')],
  },
  ServicesStackReconcileErrors: {
    fires: [series('controller_runtime_reconcile_errors_total{controller="c"}', '0+1x120')],
    at: '90m',
    labels: { controller: 'c' },
    quiet: [series('controller_runtime_reconcile_errors_total{controller="c"}', '0+1x30 31x90')],
  },
  ServicesStackReconcileStuck: {
    fires: [series('workqueue_longest_running_processor_seconds{name="c"}', '0+60x60')],
    at: '20m',
    labels: { name: 'c' },
    quiet: [series('workqueue_longest_running_processor_seconds{name="c"}', '90x60')],
  },
  ServicesStackQueueGrows: {
    fires: [series('workqueue_depth{name="c"}', '1+5x60')],
    at: '40m',
    labels: { name: 'c' },
    quiet: [series('workqueue_depth{name="c"}', '0x5 1000-10x100')],
  },
  ServicesStackPollsLate: {
    fires: [series('services_stack_polls_late{controller="c"}', '3x60')],
    at: '20m',
    labels: { controller: 'c' },
    quiet: [series('services_stack_polls_late{controller="c"}', '3x5 0x60')],
  },
  ServicesStackEventsDropped: {
    fires: [series('services_stack_events_dropped_total', '0x5 40x60')],
    at: '12m',
    labels: {},
    quiet: [series('services_stack_events_dropped_total', '40x60')],
  },
  ServicesStackClaimsWait: {
    fires: [claims('NoMatchingClass', '0+60x60')],
    at: '20m',
    labels: { kind: 'A', ready_reason: 'NoMatchingClass' },
    quiet: [claims('Creating', '0+60x10 0+60x10'), claims('Deleting', '1000x20')],
  },
  ServicesStackNotSynced: {
    fires: [resources('synced="False",synced_reason="ReconcileError"', '1x60')],
    at: '20m',
    labels: { kind: 'A' },
    quiet: [resources('synced="False",synced_reason="ReconcilePaused"', '1x60')],
  },
  ServicesStackPaused: {
    fires: [resources('synced="False",synced_reason="ReconcilePaused"', '1x400')],
    at: '370m',
    labels: { kind: 'A' },
    quiet: [resources('synced="False",synced_reason="ReconcilePaused"', '1x300 _x100')],
  },
  ServicesStackDeletionStuck: {
    fires: [
      claims('Deleting', '0+60x100'),
      series(
        'services_stack_managed_resources_unready_seconds{kind="B",ready_reason="Deleting"}',
        '0+60x100',
      ),
    ],
    at: '70m',
    labels: { kind: 'A' },
    quiet: [claims('Deleting', '600x100')],
  },
  ServicesStackProviderFailing: {
    fires: [
      calls('operation="connect",result="success"', '0+2x60'),
      calls('operation="observe",result="error"', '0+2x60'),
    ],
    at: '30m',
    labels: { stack: 'fcp', provider: 'P' },
    quiet: [
      calls('operation="connect",result="success"', '0+10x60'),
      calls('operation="observe",result="error"', '0+1x60'),
    ],
  },
  ServicesStackProviderConfigNotReady: {
    fires: [series('services_stack_provider_configs{kind="P",ready="False",ready_reason="R"}', '1x60')],
    at: '10m',
    labels: { kind: 'P', ready_reason: 'R' },
    quiet: [series('services_stack_provider_configs{kind="P",ready="Unknown",ready_reason="R"}', '1x60')],
  },
  ServicesStackSecretsOutOfStep: {
    fires: [series('services_stack_secrets_out_of_step{kind="A"}', '0x5 1x60')],
    at: '15m',
    labels: { kind: 'A' },
    quiet: [series('services_stack_secrets_out_of_step{kind="A"}', '0 1 0x60')],
  },
};

describe('alerts', { skip: withoutPromtool }, () => {
  test('are rules that Prometheus takes', async () => {
    const { code, said } = await checkRules(groups);
    assert.equal(code, 0, said);
  });

  test('have a name, a severity, a sentence and a case here, each', () => {
    assert.deepEqual(
      rules.map(({ alert }) => alert),
      Object.keys(cases),
    );
    for (const { alert, labels, annotations } of rules) {
      assert.match(labels.severity ?? '', /^(critical|warning|info)$/, alert);
      assert.match(annotations.summary ?? '', /^[A-Z].*\.$/, alert);
    }
  });

  for (const [alert, { fires, at, labels, quiet }] of Object.entries(cases)) {
    const { severity = '' } = rules.find((rule) => rule.alert === alert)?.labels ?? {};
    const only: RuleTest['groups'] = [{ name: 'one', rules: rules.filter((rule) => rule.alert === alert) }];
    const check = (given: readonly Series[], firing: readonly Labels[]) =>
      testRules({
        groups: only,
        interval: '1m',
        series: given,
        expected: [{ evalTime: at, firing: { [alert]: firing } }],
      });
    test(`${alert} fires`, async () => {
      const both = alert === 'ServicesStackDeletionStuck' ? [{ ...labels, kind: 'B' }] : [];
      const firing = [labels, ...both].map((each) => ({ ...each, severity }));
      assert.equal(await check(fires, firing), '');
    });
    test(`${alert} is quiet where it almost is so`, async () => assert.equal(await check(quiet, []), ''));
  }
});
