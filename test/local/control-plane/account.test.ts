import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kubeconfigOfAccount } from '../../../local/control-plane/account.ts';

test('the token of a service account is valid for longer than a demo runs', async () => {
  const requests: { readonly spec: { readonly expirationSeconds?: number } }[] = [];
  const kubectl = async (_args: readonly string[], input = '') => {
    requests.push(JSON.parse(input));
    return JSON.stringify({ status: { token: 'a.b.c' } });
  };
  const kubeconfig = 'users: [{ name: admin, user: { token: other } }]';
  const text = await kubeconfigOfAccount({ kubectl, kubeconfig }, { namespace: 'a', name: 'b' });
  assert.equal(text, 'users:\n  - name: admin\n    user:\n      token: a.b.c\n');
  const weekSeconds = 7 * 24 * 3600;
  assert.ok((requests[0]?.spec.expirationSeconds ?? 0) > weekSeconds);
});
