import { after, before, describe } from 'node:test';
import { testDeletedDefinitions } from './deleted-definitions.ts';
import type { FancySQLFixture } from './fancysql-fixture.ts';
import { startFancySQL } from './fancysql-fixture.ts';
import { testForeignDefinition } from './foreign-definition.ts';
import { testMissingDefinition } from './missing-definition.ts';
import { testOlderRelease } from './older-release.ts';

/** Suites that share one control plane, in this order: each leaves the definitions that the next one needs. */
describe('definitions that change on the API server', () => {
  let fixture: FancySQLFixture;

  before(async () => {
    fixture = await startFancySQL({ provisioningMs: 200 }, { moreRights: ['optional/install-crds.yaml'] });
    await fixture.favouriteClass('small');
  });
  after(() => fixture?.stop());

  testOlderRelease(() => fixture);
  testForeignDefinition(() => fixture);
  testMissingDefinition(() => fixture);
  testDeletedDefinitions(() => fixture);
});
