import { after, before, describe } from 'node:test';
import { testExplain } from './crds.ts';
import type { FancySQLFixture } from './fancysql-fixture.ts';
import { startFancySQL } from './fancysql-fixture.ts';
import { testTenants } from './tenants.ts';

/**
 * Suites that would fail with a definitions server beside kube-apiserver: it publishes no schemas for `kubectl explain`, and
 * kube-apiserver's admission plugins do not know its kinds.
 */
describe('kube-apiserver alone', () => {
  let fixture: FancySQLFixture;
  before(async () => {
    const apiServerFlags = { 'enable-admission-plugins': 'OwnerReferencesPermissionEnforcement' };
    fixture = await startFancySQL({}, { rules: 'none', apiServerFlags });
  });
  after(() => fixture?.stop());

  testExplain(() => fixture.cluster.controlPlane);
  testTenants(() => fixture);
});
