/**
 * Rules of the model, of effects, and within the checks of the product. `npm run model -- --ablate` turns them off, one
 * after the other, by patching the source on load. The checks themselves are in checks.ts.
 */
export type Rule = {
  /** The rule, in a sentence. */
  readonly rule: string;
  /** A scenario that fails without it, if one is known. */
  readonly scenario?: string;
} & (Edit | { readonly edits: readonly Edit[] });

export interface Edit {
  /** From the root of the project. */
  readonly file: string;
  /** The exact text, which the file has once. */
  readonly was: string;
  /** The text without the rule. */
  readonly becomes: string;
}

/** The edits that turn a rule off. */
export const editsOf = (rule: Rule): readonly Edit[] => ('edits' in rule ? rule.edits : [rule]);

const adapter = 'test/model/production.ts';
const managedRun = 'test/model/managed-run.ts';
const apiServer = 'test/model/api-server.ts';
const binding = 'controllers/claim-binding/decide.ts';
const claimEnd = 'controllers/claim-binding/decide-claim-end.ts';
const identity = 'controllers/external-identity.ts';
const orphan = 'controllers/claim-binding/decide-orphan.ts';
const managedSteps = 'controllers/managed/run/steps.ts';
const credential = 'controllers/managed/run/decide-credential.ts';
const retention = 'controllers/retention.ts';
const previousResources = 'controllers/claim/previous-resources.ts';

/*
 * The decisions are those of the product. Two precautions lie in its effects, so that the adapter of the model has them:
 * `Resource.update` and `delete` carry the resourceVersion, and `Resource.confirm` reads before a call.
 */

/** By name. */
export const rules: Readonly<Record<string, Rule>> = {
  claimRefIsProtectedWhileBound: {
    rule: 'the API server refuses a change of claimRef while the stored phase is Bound',
    scenario: 'vanish',
    file: apiServer,
    was: "return 'phase' in object && object.phase === 'Bound';",
    becomes: 'return false;',
  },
  boundUIDShowsBackupStatus: {
    rule: 'a status whose boundUID is not the UID of the resource itself comes from a backup',
    scenario: 'restore-status',
    file: 'controllers/claim/ownership.ts',
    was: 'status?.boundUID !== undefined && status.boundUID === metadata.uid;',
    becomes:
      "metadata !== undefined && (status?.bindingPhase === 'Bound' || status?.bindingPhase === 'Released');",
  },
  credentialIsUsableBeforeBound: {
    rule: 'Bound is written once the record matches the Secret and the Secret is for this claim',
    scenario: 'reserved',
    file: binding,
    was: "!isBound(managed) && secrets.notUsable !== undefined ? wait('CredentialNotApplied')",
    becomes: "isBound(managed) && secrets === undefined ? wait('CredentialNotApplied')",
  },
  bindWithResourceVersion: {
    rule: 'Bound is written with the resourceVersion that was read: a change since then is a 409',
    scenario: 'vanish',
    file: adapter,
    was: 'withBound(decision.managed));',
    becomes: 'withBound(decision.managed), false);',
  },
  deleteWithResourceVersion: {
    rule: 'the same for the deletion of a resource',
    scenario: 'policy',
    edits: [
      {
        file: adapter,
        was: "remove('DeleteResource', resourceKey(resource), uid, { readFirst });",
        becomes: "remove('DeleteResource', resourceKey(resource), uid, { readFirst, versioned: false });",
      },
      {
        file: adapter,
        was: "remove('DeleteResource', resourceKey(name), resource.uid, { readFirst });",
        becomes:
          "remove('DeleteResource', resourceKey(name), resource.uid, { readFirst, versioned: false });",
      },
    ],
  },
  claimRefWithResourceVersion: {
    rule: 'the same for each write of claimRef',
    scenario: 'static',
    edits: [
      {
        file: adapter,
        was: 'withClaimRef(decision.managed, real));',
        becomes: 'withClaimRef(decision.managed, real), false);',
      },
      {
        file: adapter,
        was: 'withoutClaimRef(decision.managed));',
        becomes: 'withoutClaimRef(decision.managed), false);',
      },
    ],
  },
  releaseWithResourceVersion: {
    rule: 'the same for the phase Released',
    scenario: 'reoffer',
    edits: [
      {
        file: adapter,
        was: 'withReleased(decision.managed, releaseNow(see)));',
        becomes: 'withReleased(decision.managed, releaseNow(see)), false);',
      },
      {
        file: adapter,
        was: 'const precautions = { readFirst };',
        becomes: 'const precautions = { readFirst, versioned: false };',
      },
    ],
  },
  recordWithResourceVersion: {
    rule: 'the same for the record of the applied credential',
    scenario: 'provision-R',
    file: managedRun,
    was: '...(isRecord && { endsRun: true }),',
    becomes: '...(isRecord && { endsRun: true, versioned: false }),',
  },
  secretWithResourceVersion: {
    rule: 'the same for the passwords in both Secrets',
    scenario: 'restore',
    edits: [
      {
        file: adapter,
        was: "patch('CopySecret', claimSecretKey(name), copy);",
        becomes: "patch('CopySecret', claimSecretKey(name), copy, { versioned: false });",
      },
      {
        file: adapter,
        was: 'password: passwordIn(decision.desired) });',
        becomes: 'password: passwordIn(decision.desired) }, { versioned: false });',
      },
      {
        file: managedRun,
        was: ': patch(decision, resourceSecretKey(name), written, read);',
        becomes: ': patch(decision, resourceSecretKey(name), written, { ...read, versioned: false });',
      },
    ],
  },
  unboundWithResourceVersion: {
    rule: 'the same for Unbound, when a Released resource is made available again',
    scenario: 'reoffer',
    file: managedRun,
    was: 'changeOf(resource, call.desired));',
    becomes: "changeOf(resource, call.desired), { versioned: decision !== 'MakeAvailable' });",
  },
  provisionedFollowsPolicy: {
    rule: 'if the claim is deleted before Bound, a resource that was created for it follows its policy',
    scenario: 'provision-D',
    edits: [
      {
        file: claimEnd,
        was: 'isItsOwn || created.includes(managed);',
        becomes: 'isItsOwn || created.length < 0;',
      },
      {
        file: claimEnd,
        was: "followsPolicy || wasProvisioned(managed) ? 'Release'",
        becomes: "followsPolicy || (wasProvisioned(managed) && false) ? 'Release'",
      },
    ],
  },
  begunIsNotCorrected: {
    rule: 'the parameters of a resource stay once a creation was begun, unless the external system refused it',
    scenario: 'shown-late',
    file: identity,
    was: 'const isRefused = (isUnmarked || mark?.includes(refusedCreation) === true) && failed >= begun;',
    becomes: 'const isRefused = (mark !== undefined || mark === undefined) && failed >= begun;',
  },
  creationIsAnnounced: {
    rule: 'a creation first writes its mark, with the resourceVersion that was read',
    scenario: 'parameter-edited',
    file: managedRun,
    was: "return marked(facts, scene, 'Announce', creationMark(managed), identity);",
    becomes:
      "return identity.announced === undefined ? marked(facts, scene, '', creationMark(managed)) : facts;",
  },
  correctWithResourceVersion: {
    rule: 'the parameters of a resource are corrected with the resourceVersion that was read',
    scenario: 'shown-late',
    file: adapter,
    was: 'return change(decision.managed, decision.desired);',
    becomes: 'return change(decision.managed, decision.desired, false);',
  },
  recordedComesBeforeSpec: {
    rule: 'a claim is compared with the recorded parameters of its resource, and only then with those of the spec',
    scenario: 'creation-refused',
    file: 'controllers/claim/incompatible.ts',
    was: '...observed, ...atProvider, ...recorded };',
    becomes: '...observed, ...atProvider, ...(recorded && {}) };',
  },
  restoredIsReleased: {
    rule: 'if the claim is deleted before Bound, a restored resource is released, whatever its policy is',
    scenario: 'restore-owned',
    file: claimEnd,
    was: 'isItsOwn || created.includes(managed);',
    becomes: 'isItsOwn || created.length >= 0;',
  },
  readClaimBeforeClaimRef: {
    rule: 'the claim is read from the API server before its UID is written to a claimRef',
    scenario: 'provision-lag',
    edits: [
      {
        file: binding,
        was: "const confirmed = { readFirst: ['claim'] } as const;",
        becomes: 'const confirmed = { readFirst: [] } as const;',
      },
      {
        file: binding,
        was: "{ readFirst: ['namespace', 'claim'] }",
        becomes: "{ readFirst: ['namespace'] }",
      },
    ],
  },
  readResourceBeforeExternalCall: {
    rule: 'resource and Secret are read from the API server before each external call',
    scenario: 'removed',
    edits: [
      { file: managedSteps, was: "announce: { reads: ['place'],", becomes: 'announce: { reads: [],' },
      { file: managedSteps, was: "create: { reads: ['managed'],", becomes: 'create: { reads: [],' },
      {
        file: managedSteps,
        was: "clearRecord: { reads: ['managed', 'place'],",
        becomes: 'clearRecord: { reads: [],',
      },
      { file: managedSteps, was: "delete: { reads: ['managed', 'place'],", becomes: 'delete: { reads: [],' },
    ],
  },
  readResourceBeforeGenerate: {
    rule: 'the resource is read from the API server before a password is generated',
    scenario: 'bound-D',
    file: managedSteps,
    was: "'generate' ? { reads: ['managed'],",
    becomes: "'generate' ? { reads: [],",
  },
  readResourceBeforeClaimEnds: {
    rule: 'the named resource is read from the API server before the finalizer of the claim is removed',
    scenario: 'provision-lag',
    edits: [{ file: claimEnd, was: "readFirst: ['namedResource'],", becomes: '' }],
  },
  readClaimBeforeOrphan: {
    rule: 'the claim is read from the API server before its resource counts as an orphan',
    scenario: 'static-lag',
    file: adapter,
    was: 'const readFirst = [claimKey(claimName)];',
    becomes: 'const readFirst: Key[] = [];',
  },
  orphanNamedByClaimIsReleased: {
    rule: 'an orphan that a claim of its name has in resourceRef is released, never deleted',
    scenario: 'restore-claims',
    file: orphan,
    was: 'return claim !== undefined && namesResource(claim, managed)',
    becomes: 'return claim !== undefined && managed === undefined',
  },
  backupStatusIsReset: {
    rule: 'a status from a backup is reset before anything else',
    scenario: 'restore-status',
    edits: [
      {
        file: binding,
        was: "if (isStatusRetained) return wait('StatusFromBackup');",
        becomes: '',
      },
      { file: credential, was: ', resetStatus]', becomes: ']' },
    ],
  },
  deletingClaimReleasesRestored: {
    rule: 'a claim that is being deleted releases its restored resource before its UID is corrected',
    scenario: 'restore-status',
    file: binding,
    was: 'if (!hasFinalizer(claim, finalizerNames.claim) || named === undefined || wasDeleted(named))',
    becomes: 'if (wasDeleted(claim) || named === undefined || wasDeleted(named))',
  },
  recordNeedsUnchangedResource: {
    rule: 'the record is written with the resourceVersion from before the external call',
    scenario: 'lost',
    file: apiServer,
    was: 'if (isResourceKey(key) && by !== managedId(nameOf(key))) preventRecord(draft, managedId(nameOf(key)));',
    becomes: '',
  },
  ownedComesBeforeResourceRef: {
    rule: 'a resource with the UID of the claim comes before the one that resourceRef names',
    scenario: 'two-resources',
    file: binding,
    was: 'owned.find((one) => !wasDeleted(one)) ?? owned[0] ?? named ?? returnable;',
    becomes: 'owned.find(isBound) ?? named ?? returnable;',
  },
  finalizerIsFirst: {
    rule: 'a resource created by hand gets its finalizer before anything is created for it',
    scenario: 'removed',
    file: credential,
    was: 'hasFinalizer(managed, finalizerNames.managed)) return undefined',
    becomes:
      'hasFinalizer(managed, finalizerNames.managed) || managed.status?.bindingPhase === undefined) return undefined',
  },
  notYetBoundIsRetained: {
    rule: 'with retainFor, a resource that is not Bound yet is kept as well: it may have the data of a backup',
    scenario: 'keep-restore-resource',
    file: claimEnd,
    was: "managed.spec.reclaimPolicy === 'Delete' && !hasRetention(managed))",
    becomes: "managed.spec.reclaimPolicy === 'Delete' && !(isItsOwn && hasRetention(managed)))",
  },
  neverCreatedIsNotRetained: {
    rule: 'with retainFor, a resource for which nothing was ever created is deleted with its claim',
    scenario: 'keep-early',
    file: retention,
    was: 'managed.spec.classRef !== undefined &&\n  !wasNeverFound(managed);',
    becomes: 'managed.spec.classRef !== undefined;',
  },
  releasedFromShowsTakeBack: {
    rule: 'a resource is taken back if claimRef has another UID than releasedFrom',
    scenario: 'keep',
    file: retention,
    was: 'claimRef.uid !== status.releasedFrom;',
    becomes: 'claimRef.uid === undefined;',
  },
  takeBackIsOneWrite: {
    rule: 'the UID of the claim replaces that of the previous one in one write',
    scenario: 'keep-failover',
    file: adapter,
    was: 'return change(decision.managed, withClaimRef(decision.managed, real), true);',
    becomes:
      "return patch('TakeBack', resourceKey(decision.managed.metadata.name), { claimRef: { claim: name, uid: '' } }, { readFirst });",
  },
  takenBackGoesToBound: {
    rule: 'a resource that was taken back becomes Bound, and never Unbound in between',
    scenario: 'keep-failover',
    edits: [
      {
        file: credential,
        was: "if (status?.bindingPhase !== 'Released' || spec.claimRef?.uid !== undefined) return undefined;",
        becomes:
          "if (status?.bindingPhase !== 'Released' || spec.claimRef?.uid === status.releasedFrom) return undefined;",
      },
      { file: binding, was: "'Unbound' || isTakenBack(managed);", becomes: "'Unbound';" },
    ],
  },
  takeBackWithResourceVersion: {
    rule: 'a resource is taken back with the resourceVersion that was read',
    scenario: 'keep-reserve',
    file: adapter,
    was: 'withClaimRef(decision.managed, real), true);',
    becomes: 'withClaimRef(decision.managed, real), false);',
  },
  takeBackBeforeRecordName: {
    rule: 'the claim records the name of the resource after it took the resource back',
    scenario: 'keep-failover',
    edits: [
      {
        file: binding,
        was: 'if (returnable !== undefined) return undefined; // its name',
        becomes: '// its name',
      },
      {
        file: binding,
        was: 'const own = managed !== undefined && isOwnedBy(managed, claim) ? managed : undefined;',
        becomes:
          'const own = returnable ?? (managed !== undefined && isOwnedBy(managed, claim) ? managed : undefined);',
      },
    ],
  },
  dateNeedsOwnBoundUID: {
    rule: 'a date counts only in the cluster in which it was written',
    scenario: 'keep-restore-status',
    file: retention,
    was: 'const isOfThisCluster = boundUID !== undefined && boundUID === metadata.uid;',
    becomes: 'const isOfThisCluster = boundUID !== undefined && metadata !== undefined;',
  },
  dateEndsWithTakeBack: {
    rule: 'the date does not count once a claim took the resource back',
    scenario: 'keep',
    edits: [
      {
        file: retention,
        was: 'if (!isReleased(managed) || wasDeleted(managed)',
        becomes: "if (status?.bindingPhase !== 'Released' || wasDeleted(managed)",
      },
      {
        file: retention,
        was: 'releasedFrom !== undefined && spec.claimRef?.uid === releasedFrom;',
        becomes: 'releasedFrom !== undefined && spec.claimRef?.uid !== undefined;',
      },
    ],
  },
  orphanIsRetained: {
    rule: 'the resource of a claim that vanished is kept as well',
    scenario: 'keep-vanish',
    file: orphan,
    was: "facts.managed.spec.reclaimPolicy === 'Delete' && !hasRetention(facts.managed)",
    becomes: "facts.managed.spec.reclaimPolicy === 'Delete'",
  },
  vanishedTakeBackIsReleased: {
    rule: 'a resource whose claim took it back and vanished is Released again',
    scenario: 'keep-vanish',
    file: orphan,
    was: 'const isOver = wasDeleted(managed) || isReleased(managed);',
    becomes: "const isOver = wasDeleted(managed) || managed.status?.bindingPhase === 'Released';",
  },
  releaseBringsDate: {
    rule: 'phase, releasedFrom and date are one write',
    scenario: 'keep',
    file: retention,
    was: '...(forMs !== undefined && {',
    becomes: '...(forMs === undefined && {',
  },
  retainEndsDate: {
    rule: 'with the policy Retain the date does not count',
    scenario: 'keep-retain',
    file: retention,
    was: "  isReturnable(managed) &&\n  managed.spec.reclaimPolicy === 'Delete' &&",
    becomes: '  isReturnable(managed) &&',
  },
  pauseEndsDate: {
    rule: 'a paused resource is not deleted at its date',
    scenario: 'keep-paused',
    file: retention,
    was: '!isPaused(managed) &&',
    becomes: '',
  },
  namespaceIsTheSame: {
    rule: 'a claim takes a resource back by itself only in the namespace that it was deleted in',
    scenario: 'keep-namespace',
    file: previousResources,
    was: 'return status.releasedNamespace === found.uid',
    becomes: 'return status !== undefined',
  },
  vanishedNamespaceIsUnknown: {
    rule: 'the release of the resource of a vanished claim records no namespace',
    scenario: 'keep-namespace-vanish',
    file: adapter,
    was: 'const release = decision.isClaimRestored ? undefined : { now: timeOf(see.clock) };',
    becomes: 'const release = decision.isClaimRestored ? undefined : releaseNow(see);',
  },
  givenBackToOneNamespace: {
    rule: 'an administrator gives a resource back to one namespace, and to no later one of its name',
    scenario: 'keep-namespace',
    file: previousResources,
    was: 'if (metadata.annotations?.[annotationKeys.giveBack] === found.uid) return undefined;',
    becomes: 'if (metadata.annotations?.[annotationKeys.giveBack] !== undefined) return undefined;',
  },
  administratorGivesBack: {
    rule: 'with giveBack Administrator no claim takes a resource back by itself',
    scenario: 'keep-administrator',
    file: previousResources,
    was: "if (spec.giveBack === 'Administrator') return 'only an administrator gives it back';",
    becomes: '',
  },
  undatedIsTakenBack: {
    rule: 'a claim takes a kept resource back also without a date',
    scenario: 'keep-undated',
    file: retention,
    was: '  if (!isReleased(managed) || wasDeleted(managed)) return false;',
    becomes:
      '  if (!isReleased(managed) || wasDeleted(managed) || status?.deleteAt === undefined) return false;',
  },
  authorMayStartEmpty: {
    rule: 'a claim whose author wants a new resource waits for none',
    scenario: 'keep-empty',
    file: previousResources,
    was: '|| startsEmpty(claim)',
    becomes: '',
  },
  retainedLossIsReported: {
    rule: 'the lost database of a kept resource is reported, and not created again',
    scenario: 'keep-lost',
    file: 'controllers/managed/run/decide-observed.ts',
    was: "(facts.managed.spec.onLoss === 'Report' || isReturnable(facts.managed)) &&",
    becomes: "facts.managed.spec.onLoss === 'Report' &&",
  },
};
