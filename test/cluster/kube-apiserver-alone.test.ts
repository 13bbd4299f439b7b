import { after, before, describe } from 'node:test';
import { testExplain } from './crds.ts';
import type { FancySQLFixture } from './fancysql-fixture.ts';
import { startFancySQL } from './fancysql-fixture.ts';
import { testTenants } from './tenants.ts';

/** Suites for which no definitions server may stand beside kube-apiserver, which may be too old for rules. */
describe('kube-apiserver alone', () => {
  let fixture: FancySQLFixture;
  before(async () => {
    // The admission plugin must know every kind. A definitions server does not publish schemas.
    const apiServerFlags = { 'enable-admission-plugins': 'OwnerReferencesPermissionEnforcement' };
    fixture = await startFancySQL({}, { rules: 'none', apiServerFlags });
  });
  after(() => fixture?.stop());

  testExplain(() => fixture.cluster.controlPlane);
  testTenants(() => fixture);
});
