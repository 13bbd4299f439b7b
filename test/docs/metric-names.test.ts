import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { conditionReasons } from '../../apis/core/v1alpha1/ready-reasons.ts';
import { anchorOf } from '../../docs/.vitepress/links.ts';
import { objectOf, objectsOf } from './manifests.ts';
import { projectRoot } from './project-copy.ts';
import { checkRules, ruleGroups, withoutPromtool } from './promtool.ts';
import { servedMetrics } from './served-metrics.ts';

const read = (...path: readonly string[]): string => readFileSync(join(projectRoot, ...path), 'utf8');

interface Panel {
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string }[];
}

const { data } = objectOf<KubernetesObject & { readonly data: Readonly<Record<string, string>> }>(
  objectsOf('deploy/optional'),
  'ConfigMap',
  'services-stack-dashboard',
);
const { panels } = JSON.parse(data['services-stack.json'] ?? '') as { readonly panels: readonly Panel[] };
const shown = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
/** In comments of the alerts. A reader replaces it by the address of a copy of the docs site. */
const docsAddress = 'https://docs.example.org/services-stack';
const rules = ruleGroups().flatMap((group) => group.rules);

const families =
  /\b(?:services_stack|crossplane|controller_runtime|workqueue|rest_client|leader_election)_[a-z_]+/g;

describe('every metric that is named is there', () => {
  for (const [where, text] of [
    ['in the alerts', rules.map(({ expr }) => expr).join('\n')],
    ['on the dashboard', shown.join('\n')],
    ['in the decision on labels', read('docs', 'decisions', '0044-labels-of-metrics.md')],
    ['in the changelog', read('CHANGELOG.md')],
  ] as const) {
    test(where, async () => {
      const served = new Set(await servedMetrics());
      const named = (text.match(families) ?? []).filter((name) => !name.endsWith('_'));
      assert.notEqual(named.length, 0);
      const unknown = named.filter(
        (name) => !served.has(name) && !served.has(name.replace(/_(bucket|sum|count)$/, '')),
      );
      assert.deepEqual(unknown, []);
    });
  }
});

test('the queries of the dashboard are PromQL', { skip: withoutPromtool }, async () => {
  const rules = shown.map((expr, index) => ({
    alert: `Panel${index}`,
    // Grafana puts an interval there.
    expr: expr.replaceAll('$__rate_interval', '2m'),
    labels: {},
    annotations: {},
  }));
  const { code, output } = await checkRules([{ name: 'panels', rules }]);
  assert.equal(code, 0, output);
});

test('no two panels of the dashboard are in one place, and each has a title', () => {
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)}/${y + Math.floor(cell / w)}`),
  );
  assert.equal(new Set(cells).size, cells.length);
  assert.ok(panels.every(({ title }) => title !== ''));
});

test('the guide has a section for each alert, and the runbook link of the alert leads there', () => {
  const headings = [...read('docs', 'alerts.md').matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => text);
  const sections = headings.filter((text) => text.startsWith('ServicesStack'));
  assert.deepEqual(
    sections,
    rules.map(({ alert }) => alert),
  );
  const links = read('deploy', 'optional', 'prometheus-rule.yaml').matchAll(/^ +# runbook_url: (\S+)$/gm);
  assert.deepEqual(
    [...links].map(([, link]) => link),
    sections.map((text) => `${docsAddress}/alerts.html#${anchorOf(text)}`),
  );
});

test('an alert of the platform leaves out the claims that wait for their authors', () => {
  const authorRules = rules.filter(({ expr }) => expr.includes('waits_for="author"'));
  assert.deepEqual(
    authorRules.map(({ alert, labels: { severity } }) => [alert, severity]),
    [['ServicesStackClaimsWaitForAuthor', 'info']],
  );
});

test('reasons that have a label of their own are those that the guide knows of Ready and Synced', () => {
  const reasons = read('docs', 'troubleshooting.md');
  const tables = reasons.split('## Why a claim is not Ready\n')[1]?.split('## Other conditions')[0] ?? '';
  const explained = [...tables.matchAll(/^\| `([A-Z][A-Za-z]+)` \|/gm)].map(([, reason]) => reason);
  const pending = /with the reason `(\w+)`/.exec(tables)?.[1];
  assert.deepEqual([...conditionReasons].toSorted(), [...new Set([...explained, pending])].toSorted());
});
