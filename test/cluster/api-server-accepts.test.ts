import { after, before, describe } from 'node:test';
import type { ControlPlane } from '../../local/control-plane/control-plane.ts';
import { startControlPlane } from '../../local/control-plane/control-plane.ts';
import { testCrds, testExplain } from './crds.ts';
import { testDefinitions } from './definitions.ts';
import { testManifests } from './manifests.ts';

/** Suites that share one control plane, because a start takes seconds. The first one finds it empty. */
describe('an API server, at first without our definitions', () => {
  let controlPlane: ControlPlane;
  before(async () => {
    controlPlane = await startControlPlane();
  });
  after(() => controlPlane?.stop());

  testCrds(() => controlPlane);
  testManifests(() => controlPlane);
  testDefinitions(() => controlPlane);
});

testExplain();
