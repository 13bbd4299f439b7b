import { test } from 'node:test';
import { controlPlaneBinaries } from '../../local/control-plane/binaries.ts';
import { rulesSupport } from '../../local/control-plane/definitions-server-binary.ts';

/**
 * Runs the tests of a file of `test/cluster` on a control plane that enforces the rules of `crds/with-cel-rules`, where
 * that is not what they run on anyway. Otherwise there is one test of that name, skipped with the reason.
 */
export async function withRulesEnforced(file: string): Promise<void> {
  const support = await rulesSupport(await controlPlaneBinaries());
  if (support.by === 'definitions server') {
    process.env.CONTROL_PLANE_RULES = 'enforced';
    await import(`../cluster/${file}`);
    return;
  }
  const reason =
    support.by === 'itself' ? 'kube-apiserver enforces them: test/cluster has done it' : support.reason;
  test(`${file} with rules enforced`, { skip: reason }, () => {});
}
