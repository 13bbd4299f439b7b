import { RedisClusterKind } from '../apis/cache/v1alpha1/redis-cluster.ts';
import type { Claim } from '../apis/core/v1alpha1/claim.ts';
import { getCondition } from '../apis/core/v1alpha1/condition.ts';
import { MySQLInstanceKind } from '../apis/database/v1alpha1/mysql-instance.ts';
import { PostgreSQLInstanceKind } from '../apis/database/v1alpha1/postgresql-instance.ts';
import type { Nodes } from '../local/terminal/claims-table.ts';
import { claimsIn } from '../local/terminal/claims-table.ts';
import { FancySQLInstanceKind } from '../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';

/** The kinds of the examples. */
export const claimKinds = [FancySQLInstanceKind, PostgreSQLInstanceKind, MySQLInstanceKind, RedisClusterKind];

/** The name of the claim without a matching class in the examples. It must report that, and stay unbound. */
const hopeless = 'dreams';

const ready = ({ status }: Claim) => getCondition(status?.conditions, 'Ready');

/** Whether a claim has the state that its example expects. */
export const isSettled = (claim: Claim): boolean =>
  claim.metadata.name === hopeless ? ready(claim).reason === 'NoMatchingClass' : isUsable(claim);

/** Bound, and its managed resource ready. */
export const isUsable = (claim: Claim): boolean =>
  claim.status?.bindingPhase === 'Bound' && ready(claim).status === 'True';

/** The reason why a claim is not settled, on one line. */
export const describeClaim = (claim: Claim): string => {
  const { reason = 'no condition yet', message } = ready(claim);
  const where = `${claim.kind} ${claim.metadata.namespace}/${claim.metadata.name}`;
  return `${where}: ${claim.status?.bindingPhase ?? 'no phase'}, ${reason}${message ? `: ${message}` : ''}`;
};

/** Whether the feed shows a claim as its example wants it. */
export function isShownSettled(nodes: Nodes, { kind, metadata: { namespace, name } }: Claim): boolean {
  const shown = claimsIn(nodes).find(
    (node) => node.kind === kind && node.namespace === namespace && node.name === name,
  );
  if (shown === undefined) return false;
  if (name === hopeless) return shown.reason === 'NoMatchingClass';
  return shown.phase === 'Bound' && (shown.health === 'ok' || shown.health === 'troubled');
}
