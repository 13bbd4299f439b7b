import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sitePath } from './links.ts';

const root = join(import.meta.dirname, '..', '..');

/** Pages outside of docs/ that are on the site. */
export const outsideOfDocs: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'deploy/README.md',
  'deploy/chart/README.md',
  'stacks/**/README.md',
  'testing/favourite-cloud/README.md',
];

/**
 * The pages of the site, in the order of the sidebar: the title of a group, and its pages by title and file. The
 * decisions are not here: their list is a page. A file with an anchor is a chapter of another page.
 */
export const tree: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Start: {
    'Services Stack': 'README.md',
    'On a laptop': 'docs/start-laptop.md',
    'Your own PostgreSQL': 'docs/start-postgresql.md',
    'A kind cluster': 'docs/start-kind.md',
    'All pages by task': 'docs/README.md',
  },
  Concepts: {
    'The picture': 'docs/concepts.md',
    Glossary: 'docs/glossary.md',
    'The life of a claim': 'docs/flow.md',
    'Deletion: who deletes what': 'docs/deletion.md',
  },
  'App teams': {
    'Claim a database': 'docs/claim.md',
    'Use the Secret': 'docs/use-the-secret.md',
    'Change a password': 'docs/rotate.md',
    'Delete a claim': 'docs/delete-a-claim.md',
    'Get a Redis': 'docs/gcp.md#get-a-redis',
  },
  Administrators: {
    Install: 'docs/install.md',
    PostgreSQL: 'docs/postgresql.md',
    'MySQL and MariaDB': 'docs/mysql.md',
    AWS: 'docs/aws.md',
    'Google Cloud': 'docs/gcp.md',
    'Managed resources': 'docs/managed-resources.md',
    'Rights, tenants, quotas': 'docs/tenancy.md',
    'GitOps: Argo CD and Flux': 'docs/gitops.md',
    'High availability': 'docs/high-availability.md',
    Monitoring: 'docs/monitoring.md',
    'Live page': 'docs/live-page.md',
    'Backup and restore': 'docs/backup.md',
    'Move a server': 'docs/move-a-server.md',
    Upgrade: 'docs/upgrade.md',
    Uninstall: 'docs/uninstall.md',
    'Crossplane: beside, from': 'docs/crossplane.md',
    'Plan for size': 'docs/scale.md',
  },
  Troubleshooting: {
    'By symptom': 'docs/symptoms.md',
    'By reason': 'docs/troubleshooting.md',
    Trace: 'docs/trace.md',
    'Plugin of kubectl': 'docs/kubectl-plugin.md',
    Questions: 'docs/faq.md',
  },
  Reference: {
    API: 'docs/api-reference.md',
    Flags: 'docs/flags.md',
    'Files to deploy': 'deploy/README.md',
    ...(existsSync(join(root, 'deploy/chart/README.md')) && { 'Chart values': 'deploy/chart/README.md' }),
    Metrics: 'docs/metrics.md',
    Alerts: 'docs/alerts.md',
    Events: 'docs/events.md',
    'Annotations and labels': 'docs/annotations.md',
    'Decision tables': 'docs/decision-tables.md',
  },
  'Stack authors': {
    'Add a managed service': 'docs/adding-a-managed-service.md',
  },
  Project: {
    Status: 'README.md#status',
    'When to use it': 'README.md#when-to-use-it',
    'How we prove it': 'docs/reliability.md',
    Performance: 'docs/performance.md',
    Security: 'SECURITY.md',
    Releases: 'docs/releases.md',
    'Release notes': 'CHANGELOG.md',
  },
  Contributors: {
    Contributing: 'CONTRIBUTING.md',
    Decisions: 'docs/decisions/README.md',
    'Stack postgresql': 'stacks/postgresql/README.md',
    'Stack mysql': 'stacks/mysql/README.md',
    'Stack aws': 'stacks/aws/README.md',
    'Stack gcp': 'stacks/gcp/README.md',
    'Stacks of the demo': 'stacks/demo-clouds/README.md',
    'Emulator of AWS': 'stacks/aws/emulator/README.md',
    'Emulator of Google Cloud': 'stacks/gcp/emulator/README.md',
    'Favourite Cloud': 'testing/favourite-cloud/README.md',
  },
};

/** The address of a page, as its links have it. */
function addressOf(file: string): string {
  const [page = '', anchor] = file.split('#');
  const path = sitePath(page).replace(/(^|\/)index\.md$/, '$1');
  return `/${path.replace(/\.md$/, '.html')}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** The first group and that of the open page are open. */
export const sidebar = Object.entries(tree).map(([text, pages], index) => ({
  text,
  collapsed: index > 0,
  items: Object.entries(pages).map(([title, file]) => ({ text: title, link: addressOf(file) })),
}));

/** The entries at the top. */
export const navigation = (
  [
    ['Start', 'docs/start-laptop.md'],
    ['App teams', 'docs/claim.md'],
    ['Administrators', 'docs/install.md'],
    ['Troubleshooting', 'docs/symptoms.md'],
    ['Reference', 'docs/api-reference.md'],
    ['Status', 'README.md#status'],
  ] as const
).map(([text, file]) => ({ text, link: addressOf(file) }));
