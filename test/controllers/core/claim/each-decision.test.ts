import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Claim, ClaimSpec } from '../../../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../../../apis/core/v1alpha1/class.ts';
import type { ClassDecisionName } from '../../../../controllers/core/claim/decide-class.ts';
import { claimDefaulting } from '../../../../controllers/core/claim-defaulting/setup.ts';
import { claimScheduling } from '../../../../controllers/core/claim-scheduling/setup.ts';
import { FakeCluster } from '../cluster-fake.ts';
import { FakeProcess } from '../environment-fake.ts';
import {
  claim,
  claimKind,
  claimRef,
  classKind,
  classRef,
  deletionTimestamp,
  managed,
  managedKind,
  otherService,
  peersOf,
  resourceClass,
  service,
} from '../objects.ts';

/** The situation in which a claim without a class is observed by the controller of the only class's kind. */
interface World {
  readonly claim?: Claim;
  /** A class that fits; default: there is none. */
  readonly hasClass?: true;
  /** A managed resource names the claim. */
  readonly isHolding?: true;
  /** The controller of the other kind, which is the first kind, observes the claim. */
  readonly byFirst?: true;
}

interface Mode {
  readonly controller: typeof claimScheduling;
  /** The condition of a claim that this controller serves. */
  readonly spec: ClaimSpec;
  readonly fitting: Class;
  readonly reason: 'NoMatchingClass' | 'NoDefaultClass';
  /** The decisions that only this controller has. */
  readonly own: Readonly<Partial<Record<ClassDecisionName, World>>>;
}

const isDefault = { 'resourceclass.crossplane.io/is-default-class': 'true' };
const malformed = claim({ classSelector: { matchExpressions: [{ key: 'size', operator: 'In' }] } });
const modes: Readonly<Record<string, Mode>> = {
  'claim scheduling': {
    controller: claimScheduling,
    spec: { classSelector: { matchLabels: { size: 'small' } } },
    fitting: resourceClass('small', { labels: { size: 'small' } }),
    reason: 'NoMatchingClass',
    own: { InvalidClassSelector: { claim: malformed, byFirst: true } },
  },
  'claim defaulting': {
    controller: claimDefaulting,
    spec: {},
    fitting: resourceClass('small', { annotations: isDefault }),
    reason: 'NoDefaultClass',
    own: {},
  },
};

/** For each decision, a world in which the claim takes it. */
const worldsOf = ({ spec, reason, own }: Mode): Readonly<Partial<Record<ClassDecisionName, World>>> => ({
  ClaimGone: {},
  HasResource: { claim: claim(spec), isHolding: true },
  HasClass: { claim: claim({ ...spec, classRef: classRef('small') }) },
  NeedsNoClass: { claim: claim(spec, { deletionTimestamp, finalizers: ['example.com/other'] }) },
  [reason]: { claim: claim(spec), byFirst: true },
  ReportedElsewhere: {
    claim: claim(spec, {
      status: {
        conditions: [
          {
            type: 'Ready',
            status: 'False',
            reason,
            lastTransitionTime: deletionTimestamp,
            observedGeneration: 1, // what the cluster gives a new object
          },
        ],
        consideredKinds: ['thirdclasses.v1.third.io'],
      },
    }),
    byFirst: true,
  },
  PeerReports: { claim: claim(spec) },
  AssignClass: { claim: claim(spec), hasClass: true },
  PeerAssigns: { claim: claim(spec), hasClass: true, byFirst: true },
  ...own,
});

for (const [name, mode] of Object.entries(modes)) {
  describe(`${name} takes`, () => {
    for (const [decision, world] of Object.entries(worldsOf(mode))) {
      test(decision, async () => {
        const cluster = new FakeCluster();
        if (world.hasClass) cluster.put(classKind, mode.fitting);
        if (world.isHolding) cluster.put(managedKind, managed({ claimRef: claimRef() }));
        if (world.claim !== undefined) cluster.put(claimKind, world.claim);
        const who = world.byFirst ? otherService : service;
        const process = new FakeProcess(cluster, (env) => [
          mode.controller(env, who, peersOf(otherService, service)),
        ]);
        const result = await process.reconcile({ namespace: 'team', name: 'orders' });
        assert.equal(result.decision, decision);
      });
    }
  });
}
