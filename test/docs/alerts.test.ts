import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RuleTest, Series } from './promtool.ts';
import { checkRules, ruleGroups, testRules, withoutPromtool } from './promtool.ts';

const groups = ruleGroups();
const rules = groups.flatMap((group) => group.rules);

type Labels = Readonly<Record<string, string>>;

/** Of each alert: when it fires with these labels, series on which it does, and series close to that on which it does not. */
type Case = readonly [at: string, labels: Labels, fires: readonly Series[], quiet: readonly Series[]];

const series = (name: string, values: string): Series => ({ series: name, values });
/** There are processes; else another alert fires. */
const alive = series('services_stack_build_info{version="1"}', '1x300');
const claims = (reason: string, values: string, waitsFor = 'controllers', namespace = 'team') => {
  const labels = `claim_namespace="${namespace}",ready_reason="${reason}",waits_for="${waitsFor}"`;
  return series(`services_stack_claims_unready_seconds{kind="A",${labels}}`, values);
};
const authorClaims = (values: string, namespace?: string) =>
  claims('NoMatchingClass', values, 'author', namespace);
const outOfStep = (waitsFor: string, values: string) =>
  series(
    `services_stack_secrets_out_of_step{kind="A",claim_namespace="team",waits_for="${waitsFor}"}`,
    values,
  );
const resources = (labels: string, values: string) =>
  series(`services_stack_managed_resources{kind="A",${labels}}`, values);
const calls = (labels: string, values: string) =>
  series(`services_stack_external_calls_total{stack="fcp",provider="P",${labels}}`, values);

/** One series on which an alert fires, and on which it does not. */
const both = (name: string, fires: string, quiet: string) =>
  [[series(name, fires)], [series(name, quiet)]] as const;

const cases: Readonly<Record<string, Case>> = {
  ServicesStackDown: ['20m', {}, [series('services_stack_build_info', '1x5 _x60')], [alive]],
  ServicesStackNoLeader: [
    '10m',
    { name: 's' },
    [
      series('leader_election_master_status{name="s",pod="a"}', '0x60'),
      series('leader_election_master_status{name="s",pod="b"}', '0x60'),
    ],
    [
      series('leader_election_master_status{name="s",pod="a"}', '0x60'),
      series('leader_election_master_status{name="s",pod="b"}', '1x60'),
    ],
  ],
  ServicesStackBlind: [
    '10m',
    { kind: 'A' },
    [series('services_stack_watch_unconfirmed_seconds{kind="A"}', '0+60x60')],
    [
      series('services_stack_watch_unconfirmed_seconds{kind="A"}', '80x60'),
      series('services_stack_watch_unconfirmed_seconds{kind="B"}', '0+60x60'),
      series('services_stack_definition_missing{stack="s",kind="B"}', '1x5'),
    ],
  ],
  ServicesStackDefinitionMissing: [
    '20m',
    { stack: 's', kind: 'A' },
    ...both('services_stack_definition_missing{stack="s",kind="A"}', '1x60', '1x5 _x60'),
  ],
  ServicesStackDefinitionOutdated: [
    '10m',
    { kind: 'A' },
    ...both('services_stack_definition_outdated{kind="A"}', '1x60', '1x3 _x60'),
  ],
  ServicesStackBug: [
    '12m',
    { controller: 'c' },
    ...both('controller_runtime_reconcile_panics_total{controller="c"}', '0x10 1x60', '3x60'),
  ],
  ServicesStackReconcileErrors: [
    '90m',
    { controller: 'c' },
    ...both('services_stack_unreported_errors_total{controller="c"}', '0+1x120', '0+1x30 31x90'),
  ],
  ServicesStackReconcileStuck: [
    '20m',
    { name: 'c' },
    ...both('workqueue_longest_running_processor_seconds{name="c"}', '0+60x60', '90x60'),
  ],
  ServicesStackQueueGrows: [
    '40m',
    { name: 'c' },
    ...both('workqueue_depth{name="c"}', '1+5x60', '0x5 1000-10x100'),
  ],
  ServicesStackPollsLate: [
    '20m',
    { controller: 'c' },
    ...both('services_stack_polls_late{controller="c"}', '3x60', '3x5 0x60'),
  ],
  ServicesStackEventsDropped: [
    '12m',
    {},
    ...both('services_stack_events_dropped_total', '0x5 40x60', '40x60'),
  ],
  ServicesStackClaimsWait: [
    '20m',
    { kind: 'A', ready_reason: 'QuotaExceeded' },
    [
      claims('QuotaExceeded', '0+60x60', 'platform', 'a'),
      claims('QuotaExceeded', '0+60x60', 'platform', 'b'),
    ],
    [claims('Creating', '0+60x10 0+60x10'), claims('Deleting', '1000x20'), authorClaims('0+60x60')],
  ],
  ServicesStackClaimsWaitForAuthor: [
    '20m',
    { kind: 'A', ready_reason: 'NoMatchingClass', claim_namespace: 'team', namespace: 'team' },
    [authorClaims('0+60x60'), authorClaims('0+60x10 0+60x10', 'other')],
    [authorClaims('0+60x10 0+60x10'), claims('Creating', '0+60x60')],
  ],
  ServicesStackNotSynced: [
    '20m',
    { kind: 'A' },
    [resources('synced="False",synced_reason="ReconcileError"', '1x60')],
    [
      resources('synced="False",synced_reason="ReconcilePaused"', '1x60'),
      resources('synced="False",synced_reason="ReconcileError",waits_for="author"', '1x60'),
    ],
  ],
  ServicesStackDataLost: [
    '5m',
    { kind: 'A' },
    ...both('services_stack_lost_external_resources{kind="A"}', '1x60', '0x60'),
  ],
  ServicesStackPaused: [
    '370m',
    { kind: 'A' },
    [resources('synced="False",synced_reason="ReconcilePaused"', '1x400')],
    [resources('synced="False",synced_reason="ReconcilePaused"', '1x300 _x100')],
  ],
  ServicesStackDeletionStuck: [
    '70m',
    { kind: 'A', claim_namespace: 'team' },
    [
      claims('Deleting', '0+60x100'),
      series(
        'services_stack_managed_resources_unready_seconds{kind="B",ready_reason="Deleting"}',
        '0+60x100',
      ),
    ],
    [claims('Deleting', '600x100')],
  ],
  ServicesStackProviderFailing: [
    '30m',
    { stack: 'fcp', provider: 'P' },
    [
      calls('operation="connect",result="success"', '0+2x60'),
      calls('operation="observe",result="error",error_class="Unreachable"', '0+2x60'),
    ],
    [
      calls('operation="connect",result="success"', '0+10x60'),
      calls('operation="observe",result="error",error_class="Unknown"', '0+1x60'),
      calls('operation="create",result="error",error_class="Invalid"', '0+10x60'),
    ],
  ],
  ServicesStackProviderConfigNotReady: [
    '10m',
    { kind: 'P', ready_reason: 'R' },
    [series('services_stack_provider_configs{kind="P",ready="False",ready_reason="R"}', '1x60')],
    [series('services_stack_provider_configs{kind="P",ready="Unknown",ready_reason="R"}', '1x60')],
  ],
  ServicesStackSecretsOutOfStep: [
    '15m',
    { kind: 'A', claim_namespace: 'team' },
    [outOfStep('platform', '_x5 1x60')],
    [outOfStep('platform', '_ 1 _x60'), outOfStep('author', '1x60')],
  ],
};

describe('alerts', { skip: withoutPromtool }, () => {
  test('are rules that Prometheus takes', async () => {
    const { code, output } = await checkRules(groups);
    assert.equal(code, 0, output);
  });

  test('have a name, a severity, a sentence and a case here, each', () => {
    const names = rules.map(({ alert }) => alert);
    assert.deepEqual(names, Object.keys(cases));
    for (const { alert, labels, annotations } of rules) {
      assert.match(labels.severity ?? '', /^(critical|warning|info)$/, alert);
      assert.match(annotations.summary ?? '', /^[A-Z].*\.$/, alert);
      assert.equal(annotations.runbook_url, undefined, `${alert}: nobody has a copy of the docs site yet`);
    }
  });

  for (const [alert, [at, labels, fires, quiet]] of Object.entries(cases)) {
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
      const both = alert === 'ServicesStackDeletionStuck' ? [{ kind: 'B' }] : [];
      const firing = [labels, ...both].map((each) => ({ ...each, severity }));
      assert.equal(await check(fires, firing), '');
    });
    test(`${alert} is quiet where it almost is so`, async () => assert.equal(await check(quiet, []), ''));
  }
});
