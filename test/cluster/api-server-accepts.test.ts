import { after, before, describe } from 'node:test';
import type { ControlPlane } from '../../local/control-plane/control-plane.ts';
import { startControlPlane } from '../../local/control-plane/control-plane.ts';
import { testCrds } from './crds.ts';
import { testDefinitions } from './definitions.ts';
import { testManifests } from './manifests.ts';
import { testSecretShapes } from './secret-shapes.ts';

/** Suites that share one control plane, because a start takes seconds. The first one finds it empty. */
describe('an API server, at first without our definitions', () => {
  let controlPlane: ControlPlane;
  before(async () => {
    // A PodDisruptionBudget is a beta API in 1.20.
    controlPlane = await startControlPlane({ apiServerFlags: { 'runtime-config': null } });
  });
  after(() => controlPlane?.stop());

  testCrds(() => controlPlane);
  testSecretShapes(() => controlPlane);
  testManifests(() => controlPlane);
  testDefinitions(() => controlPlane);
});
