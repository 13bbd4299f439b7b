/** A guard of the product, and the source without it. */
export interface Guard {
  /** From the root of the project. */
  readonly file: string;
  /** The exact text, which the file has once. */
  readonly was: string;
  /** The text without the guard. */
  readonly becomes: string;
  /** The fault that the guard prevents. */
  readonly against: string;
  /** The unit test that fails without it where no seed notices, as `file: title`. */
  readonly provenBy?: string;
}

/** In each file, the guards that something must notice the lack of. */
const byFile: Readonly<Record<string, readonly Omit<Guard, 'file'>[]>> = {
  'controllers/core/managed/run/act.ts': [
    {
      against: 'a creation taken for lost because the look at it was read after the process had stood still',
      provenBy:
        'test/controllers/core/managed/absence.test.ts: a creation may still be invisible, although the answer of the observation is read late',
      was: 'now: run.observedAt ?? env.clock.now(),',
      becomes: 'now: env.clock.now(),',
    },
    {
      against: 'a creation by a stale read, where an earlier attempt has left nothing to write',
      provenBy:
        'test/controllers/core/managed/reconciler.test.ts: CreateExternal: a second attempt without a write reads from the API server instead',
      was: 'const marked = await confirmed(context, announced, cannot.create);',
      becomes: 'const marked = announced;',
    },
    {
      against: 'the deletion of what another resource of the name has by then',
      provenBy:
        'test/controllers/core/managed/look-before-deletion.test.ts: another managed resource has its name',
      was: 'const run = await confirmed(context, found, cannot.delete);',
      becomes: 'const run = found;',
    },
    {
      against: 'an edit of what identifies a resource while it is created',
      provenBy:
        'test/controllers/core/managed/recording/identity.test.ts: while its creation runs, whose answer is lost',
      was: 'const record = { [annotationKeys.externalIdentity]: encodeIdentity(identityToRecord(identity, run)) };',
      becomes: 'const record = {};',
    },
    {
      against: 'what was just made and does not show yet, forgotten because it did not show before',
      provenBy: 'test/controllers/core/managed/absence.test.ts: do not prove that it created nothing',
      was: 'context.absenceTimes.forget(objectKey(run.current.metadata)); // it may exist now without being visible',
      becomes: '',
    },
    {
      against: 'a second external resource after a crash between creation and its record',
      provenBy:
        'test/controllers/core/managed/crash.test.ts: an interrupted creation is completed once an administrator has checked it and removed the mark',
      was: 'const annotations = identity.isAssigned ? { ...record, ...mark } : record;',
      becomes: 'const annotations = record;',
    },
    {
      against: 'a creation that nobody knows of: name and marks come first',
      provenBy:
        'test/controllers/core/managed/reconciler.test.ts: CreateExternal: the external name is defaulted to the object name, in the write that adds the finalizer',
      was: 'return prepare(context, run, { annotations, ready: isCreating });',
      becomes: 'return Promise.resolve(run);',
    },
    {
      against: 'an assigned name that is forgotten',
      provenBy:
        'test/controllers/core/managed/absence.test.ts: a resource with an assigned name is created again only after a user removes the name',
      was: 'const recorded = await recordCreation(context, made, creation);',
      becomes: 'const recorded = made;',
    },
    {
      against: 'a managed resource that goes before its external resource has gone',
      provenBy:
        'test/controllers/core/managed/reconciler.test.ts: DeleteExternal: after the deletion request the resource is observed soon, and keeps its finalizer until it is absent',
      was: 'return observed.exists ? outcomes.leaving(looked) : finalise(context, looked);',
      becomes: 'return finalise(context, looked);',
    },
    {
      against: 'connection details that outlive their resource where nobody collects garbage',
      provenBy:
        'test/controllers/core/managed/crash.test.ts: takes effect: no object and no external resource remains',
      was: "await step(run, '', places.remove(current, signal), cannot.unpublish);",
      becomes: '',
    },
    {
      against: 'the deletion of what an edit names in place of what was made',
      provenBy:
        'test/controllers/core/managed/recording/identity.test.ts: deletion deletes only the recorded external resource',
      was: 'const removing = external.delete(identified(identity, run), signal);',
      becomes: 'const removing = external.delete(run.current, signal);',
    },
    {
      against: 'an interrupted creation that nobody finds under another name',
      provenBy:
        'test/controllers/core/managed/recording/identity.test.ts: an edit has no effect while a part of the recorded resource remains',
      was: 'if (leadsElsewhere(identity, run) && (await isAnythingLeft(context, run)))',
      becomes: 'if (false)',
    },
  ],
  'controllers/core/managed/recording/absence-times.ts': [
    {
      against: 'an absence taken for proven because the answer was read after the process had stood still',
      provenBy:
        'test/controllers/core/managed/absence.test.ts: an observation of a deleted resource counts from its start, however late the process reads the answer',
      was: 'return begunMs - first.atMs;',
      becomes: 'return clock.elapsedMs() - first.atMs;',
    },
  ],
  'controllers/core/managed/run/steps.ts': [
    {
      against: 'what is made left outside, because it did not show while the external system made it',
      provenBy:
        'test/controllers/core/managed/handed-over.test.ts: a deleted resource is observed again after its creation has ended',
      was: "if ((run.underWay?.type ?? run.ended) === 'create') absenceTimes.forget(objectKey(run.current.metadata));",
      becomes: '',
    },
    {
      against: 'a resource that is created again because one look did not find it',
      provenBy:
        'test/controllers/core/managed/absence.test.ts: a deleted resource is not absent after one observation, and is deleted if the next one finds it',
      was: 'const absentForMs = absenceTimes.note(run.current, observed.exists, begunMs);',
      becomes: 'const absentForMs = Number.POSITIVE_INFINITY;',
    },
    {
      against: 'a password lost because the look after the creation failed',
      provenBy:
        'test/controllers/core/managed/reconciler.test.ts: CreateExternal: if the observation after a creation fails, the returned details are published',
      was: 'const published = await publish(context, called, undefined, ready);',
      becomes: 'const published = called;',
    },
    {
      against: 'a look at what an edit names in place of what was made',
      provenBy:
        'test/controllers/core/managed/recording/identity.test.ts: the edit is reported, and the other fields still work',
      was: 'external.observe(identified(identity, run), run.credential, signal);',
      becomes: 'external.observe(run.current, run.credential, signal);',
    },
  ],
  'controllers/core/managed/run/poll-operation.ts': [
    {
      against: 'an operation whose name is lost with a write of the status',
      provenBy:
        'test/controllers/core/managed/handed-over.test.ts: is known to the process although the status could not be written',
      was: 'underWay.note(run.current, operation);',
      becomes: '',
    },
    {
      against: 'credentials that are forgotten with the operation that brought them',
      provenBy:
        'test/controllers/core/managed/handed-over.test.ts: is recorded once it is done, with its result, in one run',
      was: 'const recorded = await recordEnd(context, run, type, progress);',
      becomes: 'const recorded = run;',
    },
  ],
  'controllers/core/managed/run/decide.ts': [
    {
      against: 'an update that is begun again twice a second, for its end shows nothing',
      provenBy: 'test/controllers/core/managed/handed-over.test.ts: changes nothing visible',
      was: "ended === 'update' ?",
      becomes: 'false ?',
    },
    {
      against: 'a deletion that is asked for again at once, for its end shows nothing',
      provenBy:
        'test/controllers/core/managed/handed-over.test.ts: is not deleted again at once if the deletion has ended and the resource still shows',
      was: "observed.operation === 'delete' || ended === 'delete';",
      becomes: "observed.operation === 'delete';",
    },
    {
      against: 'a second creation, or forgetting, of what is being created',
      provenBy:
        'test/controllers/core/managed/run/decide.test.ts: AwaitOperation: a resource in an operation that does not show yet is not created twice',
      was: "if (underWay !== undefined) return { name: 'AwaitOperation' };",
      becomes: '',
    },
    {
      against: 'a second creation once the external system has forgotten the first',
      provenBy:
        'test/controllers/core/managed/handed-over.test.ts: waits for an administrator if the external system forgot it and it returned no name',
      was: 'return isCreationIncomplete(managed)\n',
      becomes: 'return false\n',
    },
    {
      against: 'the deletion of what is being created, which vendors refuse',
      provenBy:
        'test/controllers/core/managed/handed-over.test.ts: waits for the end of its creation, and is deleted then',
      was: "if (underWay === 'create') return { name: 'AwaitOperation' };",
      becomes: '',
    },
    {
      against: 'a second creation while nobody knows how the first ended',
      provenBy:
        'test/controllers/core/managed/run/decide.test.ts: CreationIncomplete: ExternalCreatePending waits for an administrator',
      was: 'underWay === undefined && isCreationIncomplete(managed)',
      becomes: 'false',
    },
    {
      against: 'the deletion of what policies keep',
      provenBy:
        'test/controllers/core/managed/run/decide.test.ts: OrphanExternal: DeleteSuccessfulDeletionPolicyOrphan: no provider is needed to orphan',
      was: 'wasDeleted(managed) && !shouldDelete(managed.spec) ?',
      becomes: 'false ?',
    },
    {
      against: 'a second external resource in the system that the provider leads to by now',
      provenBy:
        'test/controllers/core/managed/run/decide.test.ts: OtherSystem: a provider that leads to another system stops the run',
      was: 'if (before === undefined || system === undefined || before === system) return undefined;',
      becomes: 'return undefined;',
    },
    {
      against: 'absence that is believed after one look',
      provenBy:
        'test/controllers/core/managed/absence.test.ts: a deleted resource is not absent after one observation, and is deleted if the next one finds it',
      was: 'absentForMs >= confirmMs',
      becomes: 'absentForMs >= 0 * confirmMs',
    },
    {
      against: 'a second creation, or forgetting, of what does not show yet',
      provenBy: 'test/controllers/core/managed/run/decide.test.ts: AwaitExternal: CreationGracePeriod',
      was: '(isHidden(input) ?',
      becomes: '(isHidden(input) && false ?',
    },
    {
      against: 'a second resource beside one that is there after all',
      provenBy:
        'test/controllers/core/managed/absence.test.ts: a resource with an assigned name is created again only after a user removes the name',
      was: 'return isNameKnown || externalName(managed) === undefined',
      becomes: 'return true',
    },
    {
      against: 'work on what is paused',
      provenBy: 'test/controllers/core/managed/run/decide.test.ts: Paused: ReconciliationPausedSuccessful',
      was: 'if (!isPaused(managed) && !isPausedByPolicies(managed.spec)) return undefined;',
      becomes: 'if (!isPausedByPolicies(managed.spec)) return undefined;',
    },
    {
      against: 'work on what policies pause',
      provenBy:
        'test/controllers/core/managed/run/decide.test.ts: Paused: ManagementPolicyReconciliationPausedSuccessful',
      was: 'if (!isPaused(managed) && !isPausedByPolicies(managed.spec)) return undefined;',
      becomes: 'if (!isPaused(managed)) return undefined;',
    },
    {
      against: 'a creation that policies do not allow',
      provenBy:
        'test/controllers/core/managed/run/decide.test.ts: CreateNotAllowed: {O,D} and absent: reported, not created',
      was: "if (!shouldCreate(managed.spec)) return { name: 'CreateNotAllowed' };",
      becomes: '',
    },
    {
      against: 'an update that policies do not allow',
      provenBy:
        'test/controllers/core/managed/run/decide.test.ts: NoUpdate: ObserveOnlySuccessfulObserve: drift is left alone',
      was: ' || !shouldUpdate(managed.spec)',
      becomes: '',
    },
    {
      against: 'fields that are filled in although policies do not allow it',
      provenBy:
        'test/controllers/core/managed/run/decide.test.ts: NoUpdate: {O}: a resource that is only observed is not changed',
      was: 'shouldLateInitialize(managed.spec) && ',
      becomes: '',
    },
  ],
  'controllers/core/managed/recording/identity.ts': [
    {
      against: 'everything that an edit of the identity may lead to',
      provenBy:
        'test/controllers/core/managed/recording/identity.test.ts: the edit is reported, and the other fields still work',
      was: 'return asRecorded(named(context, current), recorded, context.marks, isExact);',
      becomes: 'return named(context, current);',
    },
  ],
  'controllers/core/step-failure.ts': [
    {
      against: 'a failure that is told of what was only kept back, for the leadership was interrupted',
      provenBy:
        'test/controllers/core/managed/reconciler.test.ts: a creation that was not sent is recorded as failed once the process leads again',
      was: 'if (isInterrupted(this.cause)) return true;',
      becomes: '',
    },
  ],
  'clients/http-failure.ts': [
    {
      against: 'a creation that was not sent, and is taken for one that may have happened',
      provenBy:
        'test/clients/aws/aws-client.test.ts: passes on that the process keeps requests back, and does not try again',
      was: 'if (error instanceof HaltedError) return error;',
      becomes: '',
    },
  ],
  'controllers/core/managed/recording/creation-record.ts': [
    {
      against: 'a creation without a result, for the leadership was interrupted just then',
      provenBy:
        'test/controllers/core/managed/reconciler.test.ts: a creation that was not sent is recorded as failed once the process leads again',
      was: 'if (!wasKept) attempt += 1;',
      becomes: 'attempt += 1;',
    },
    {
      against: 'a creation that is called failed and may have happened',
      provenBy:
        'test/controllers/core/managed/crash.test.ts: assigned names: a creation without an answer is not repeated, and the status asks an administrator',
      was: 'const known = identity.isAssigned && !isUncertain ? await recordFailure(context, run) : run;',
      becomes: 'const known = identity.isAssigned ? await recordFailure(context, run) : run;',
    },
    {
      against: 'an assigned name lost to a write of somebody else',
      provenBy:
        'test/controllers/core/managed/reconciler.test.ts: CreateExternal: an edit during the creation is kept, with the assigned name added',
      was: 'if (isConflict(error)) current = await refetched(managedResources, current, signal);',
      becomes: '',
    },
  ],
  'controllers/core/managed/reconciler.ts': [
    {
      against: 'a deletion that waits for what it refers to',
      provenBy:
        'test/controllers/core/managed/reconciler.test.ts: references are not resolved while deleting',
      was: 'const resolving = wasDeleted(current) ? undefined : resolveReferences?.(current, signal);',
      becomes: 'const resolving = resolveReferences?.(current, signal);',
    },
  ],
  'controllers/core/claim-binding/decide.ts': [
    {
      against: 'a class that is used for a claim whose namespace may not have it',
      provenBy:
        'test/controllers/core/claim-binding/decide.test.ts: a claim whose namespace may not have the class waits',
      was: '  classNotAllowed,\n',
      becomes: '',
    },
    {
      against: 'a resource that is given to a claim whose namespace may not have it',
      provenBy:
        'test/controllers/core/claim-binding/decide.test.ts: a claim whose namespace may not have the resource does not take it',
      was: '  resourceNotAllowed,\n',
      becomes: '',
    },
    {
      against: 'a resource that is only observed, given to a claim that knows its name',
      provenBy:
        'test/controllers/core/claim-binding/decide.test.ts: a claim does not take a resource that is only observed',
      was: '  notOffered,\n',
      becomes: '',
    },
    {
      against: 'a resource of another product, given to a claim',
      provenBy:
        'test/controllers/core/claim-binding/decide.test.ts: a claim does not take a resource that another object controls',
      was: '  controlledByOther,\n',
      becomes: '',
    },
    {
      against: 'a resource that is reserved for an unknown claim, given to the next one',
      provenBy:
        'test/controllers/core/claim-binding/decide.test.ts: a claimRef without a namespace names no claim',
      was: '  claimRefIncomplete,\n',
      becomes: '',
    },
    {
      against: 'a claim that is bound to a resource that cannot serve it',
      provenBy:
        'test/controllers/core/claim-binding/decide.test.ts: a claim does not take a resource that cannot serve it',
      was: '  resourceIncompatible,\n',
      becomes: '',
    },
    {
      against: 'a claim that is bound to a resource that is not ready',
      provenBy:
        'test/controllers/core/claim-binding/decide.test.ts: a claim waits until the resource that it names is ready',
      was: '  notReady,\n',
      becomes: '',
    },
    {
      against: 'a claim that was Bound and gets a new, empty resource',
      provenBy:
        'test/controllers/core/claim-binding/decide.test.ts: a Bound claim whose resource was deleted gets no other one',
      was: '  resourceLost,\n',
      becomes: '',
    },
  ],
  'controllers/core/claim-binding/desired.ts': [
    {
      against: 'a claim that goes while its resource is made',
      provenBy:
        'test/controllers/core/claim-binding/reconciler.test.ts: a claim with a class: its name first, then the complete resource, Bound, the Secret and the status',
      was: 'finalizers: withFinalizer(claim, finalizerNames.claim),',
      becomes: 'finalizers: claim.metadata.finalizers ?? [],',
    },
  ],
  'controllers/core/claim-binding/provision.ts': [
    {
      against: 'a resource that passes to the next claim of that name',
      provenBy:
        'test/controllers/core/claim-binding/reconciler.test.ts: a claim with a class: its name first, then the complete resource, Bound, the Secret and the status',
      was: 'claimRef: referenceTo(claim),',
      becomes: 'claimRef: { ...referenceTo(claim), uid: undefined },',
    },
  ],
  'controllers/core/claim/claim-status.ts': [
    {
      against: 'a claim that was bound given a new and empty resource',
      provenBy:
        'test/controllers/core/claim-binding/reconciler.test.ts: a claim that was Bound and lost its resource does not get a new one',
      was: "const bindingPhase = phase === 'Unbound' && wasBound(claim) ? 'Released' : phase;",
      becomes: 'const bindingPhase = phase;',
    },
  ],
  'controllers/core/claim-binding/orphan-release.ts': [
    {
      against: 'the reclaiming of what a claim has that a cache does not know yet',
      provenBy:
        'test/controllers/core/claim-binding/orphans.test.ts: a resource is no orphan if the API server has the claim and the store does not',
      was: "const claim = await annotate('cannot get resource claim', claims.fetch(key, signal));",
      becomes: 'const claim = seen;',
    },
  ],
  'controllers/core/claim/propagated-secret.ts': [
    {
      against: 'a Secret that a user created by hand, overwritten for a claim',
      provenBy:
        'test/controllers/core/claim-binding/reconciler.test.ts: that a user created by hand is not overwritten, and the resource stays available',
      was: 'if (isOurs || isMatch(source.data ?? {}, target.data ?? {})) return undefined;',
      becomes: 'if (target !== undefined) return undefined;',
    },
  ],
  'controllers/core/secret-propagation/decide.ts': [
    {
      against: 'a Secret that is copied to a claim without consent',
      provenBy:
        'test/controllers/core/secret-propagation/decide.test.ts: a source that does not consent is not copied',
      was: 'if (consents) return undefined;',
      becomes: 'if (consents || !consents) return undefined;',
    },
    {
      against: 'a Secret that is copied although its resource does not control it',
      provenBy:
        'test/controllers/core/secret-propagation/decide.test.ts: a source of a previous resource of the same name is not copied',
      was: 'if (managed !== undefined && isControlledBy(source, managed)) return undefined;',
      becomes: 'if (managed !== undefined) return undefined;',
    },
    {
      against: 'a copy over a Secret that the claim does not control',
      provenBy:
        'test/controllers/core/secret-propagation/decide.test.ts: a Secret of a previous claim of the same name gets nothing',
      was: 'if (claim !== undefined && isControlledBy(target, claim)) return undefined;',
      becomes: 'if (claim !== undefined) return undefined;',
    },
  ],
  'controllers/core/claim-binding/setup.ts': [
    {
      against: 'what names a former claim with the UID of one that goes, left until the process begins anew',
      provenBy:
        'test/controllers/core/claim-binding/setup.test.ts: a missing claim wakes binding if a resource names it with the UID of the deleted claim',
      was: '...managedWithClaimUid(managedResources.store, claim.metadata.uid).flatMap(lostClaimOf),',
      becomes: '',
    },
  ],
  'controllers/core/connection/secret-place.ts': [
    {
      against: 'one write after another that fails, because the watch lags',
      provenBy:
        'test/controllers/core/connection/secret-place.test.ts: after a conflict the next read has what the API server has, though the watch lags',
      was: 'if (isConflict(error)) await secrets.fetch(secretKeyOf(secret), signal);',
      becomes: '',
    },
  ],
  'controllers/stores/vault-store.ts': [
    {
      against: 'an entry of Vault whose owner nobody knows after a crash',
      provenBy:
        'test/controllers/stores/stores.test.ts: Vault: of two resources that publish at one path for the first time, one succeeds with its own details',
      was: 'if (before === undefined) await take(path, desired.ownerUid, 0, signal);',
      becomes: '',
    },
    {
      against: "the removal of an entry that has become somebody else's",
      provenBy:
        'test/controllers/stores/stores.test.ts: Vault: an entry that changes between the read and the removal stays',
      was: 'await take(path, ownerUid, secret.version, signal);',
      becomes: '',
    },
  ],
  'controllers/core/claim/decide-class.ts': [
    {
      against: 'a class chosen again for a claim that has one',
      provenBy:
        'test/controllers/core/claim-scheduling/decide.test.ts: HasClass: ClaimHasClassRef: a claim that another scheduler gave a class keeps it',
      was: "if (claim.spec.classRef !== undefined) return nothing('HasClass');",
      becomes: '',
    },
    {
      against: 'a second class for a claim that has a resource',
      provenBy:
        'test/controllers/core/claim-scheduling/decide.test.ts: HasResource: a claim whose references were removed is not scheduled again',
      was: "if (isHolding) return nothing('HasResource');",
      becomes: '',
    },
    {
      against: 'two schedulers that both write',
      provenBy:
        'test/controllers/core/claim-scheduling/decide.test.ts: PeerAssigns: if the draw chooses a class of another kind, the controller of that kind assigns it',
      was: "if (!isOfKind(chosen, kind)) return nothing('PeerAssigns');",
      becomes: '',
    },
  ],
  'controllers/core/provider/decide.ts': [
    {
      against: 'a ProviderConfig that goes while it is used',
      provenBy: 'test/controllers/core/provider/decide.test.ts: a deleted one waits for its user, by name',
      was: 'return isProtected && users.length > 0',
      becomes: 'return false',
    },
  ],
  'controllers/core/provider/setup.ts': [
    {
      against: 'a ProviderConfig that goes while its users are not known yet',
      provenBy:
        'test/controllers/core/provider/provider-config.test.ts: while one of the kinds that may use it has not been read, nothing is done',
      was: 'if (stores.some(({ isSynced }) => !isSynced)) return after(syncRetryMs);',
      becomes: '',
    },
  ],
  'runtime/cache/resource.ts': [
    {
      against: 'a write over what somebody else wrote meanwhile',
      provenBy:
        'test/runtime/cache/resource.test.ts: several changes go out as one merge patch under the version that was read',
      was: 'resourceVersion === undefined ? patch : withMetadata(patch, { resourceVersion });',
      becomes: 'resourceVersion === undefined ? patch : patch;',
    },
    {
      against: 'the deletion of what has the name by now',
      provenBy:
        'test/runtime/cache/resource.test.ts: an object that changed since is a conflict, and stays as it is',
      was: 'const preconditions = { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) };',
      becomes: 'const preconditions = {};',
    },
    {
      against: 'the deletion of what changed since it was read',
      provenBy:
        'test/runtime/cache/resource.test.ts: an object that changed since is a conflict, and stays as it is',
      was: 'const preconditions = { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) };',
      becomes: 'const preconditions = { ...(uid && { uid }) };',
    },
    {
      against: 'a write that changes nothing',
      provenBy: 'test/runtime/cache/resource.test.ts: nothing to change, nothing written',
      was: `const difference = mergePatch(writable(current), writable(desired));
      if (difference === undefined) return current;`,
      becomes: 'const difference = mergePatch(writable(current), writable(desired)) ?? {};',
    },
    {
      against: 'a write of a status that changes nothing',
      provenBy: 'test/runtime/cache/resource.test.ts: nothing to change, nothing written',
      was: `const patch = mergePatch({ status: statusOf(current) }, { status: statusOf(desired) });
      if (patch === undefined) return current;`,
      becomes:
        'const patch = mergePatch({ status: statusOf(current) }, { status: statusOf(desired) }) ?? {};',
    },
    {
      against: 'a run that does not see what the one before it wrote',
      provenBy:
        'test/runtime/cache/resource.test.ts: an object that a write returned is in the store at once',
      was: `    store.record(object, { isOwn });
`,
      becomes: '',
    },
  ],
  'runtime/cache/store.ts': [
    {
      against: 'an older object in place of a newer one',
      provenBy: 'test/runtime/cache/store.test.ts: newer replaces older, older and equal change nothing',
      was: 'if (order === 0 || (order < 0 && !isForced)) return;',
      becomes: 'if (order === 0) return;',
    },
    {
      against: 'a late answer that brings back what was deleted',
      provenBy:
        'test/runtime/cache/store.test.ts: a write answer that arrives after the watch saw the deletion brings nothing back',
      was: 'if (compareResourceVersions(version, position) > 0 && isSelected(object)) put(key, object, { isOwn });',
      becomes: 'if (isSelected(object)) put(key, object, { isOwn });',
    },
    {
      against: 'an event told late that brings back what went with its last finalizer',
      provenBy:
        'test/runtime/cache/store.test.ts: an object without its last finalizer is deleted at once, and late events do not restore it',
      was: 'if (isPast(event.object)) return;',
      becomes: '',
    },
    {
      against: 'what vanished while nobody watched, and is still believed in',
      provenBy:
        'test/runtime/cache/store.test.ts: a list again drops what vanished and tells only what changed',
      was: 'if (!listed.has(key) && (isRewound || !isNewer)) remove(key);',
      becomes: '',
    },
    {
      against: 'what was just written and is thought gone because a list is older',
      provenBy:
        'test/runtime/cache/store.test.ts: an object that was written after the list was read stays in the store',
      was: 'if (!listed.has(key) && (isRewound || !isNewer)) remove(key);',
      becomes: 'if (!listed.has(key)) remove(key);',
    },
    {
      against: 'a deletion that is not noticed because the name was taken again',
      provenBy: 'test/runtime/cache/store.test.ts: another uid is a deletion and an addition',
      was: 'else if (previous.metadata.uid === stored.metadata.uid) {',
      becomes: 'else if (previous !== undefined) {',
    },
  ],
  'runtime/cache/watch.ts': [
    {
      against: 'changes that a restored API server gives versions which others had before',
      provenBy:
        'test/runtime/cache/watch.test.ts: a server that was restored from a backup and has used our versions again is listed',
      was: 'return mustCheckHistory ? resumed$ : watch$;',
      becomes: 'return watch$;',
    },
    {
      against: 'a watch that asks for what the API server has forgotten, for ever',
      provenBy:
        'test/runtime/cache/watch.test.ts: lists again, and objects that were deleted during that time are removed',
      was: 'if (isExpired(error) || code === 404 || isUnreadable) {',
      becomes: 'if (code === 404 || isUnreadable) {',
    },
    {
      against: 'a watch that is open, silent and believed',
      provenBy:
        'test/runtime/cache/watch.test.ts: is replaced when it has kept something back, which a list brings',
      was: 'takeUntil(merge(overdue$, isBehind$)),',
      becomes: 'takeUntil(overdue$),',
    },
  ],
  'runtime/controller/work-queue.ts': [
    {
      against: 'a hot loop while something fails',
      provenBy: 'test/runtime/controller/work-queue.test.ts: requeue: the delay doubles from 5 ms',
      was: 'schedule(key, wake, Math.max(delayAfter(failures, key, backoff), next.atLeastMs ?? 0));',
      becomes: 'schedule(key, wake, 0);',
    },
    {
      against: 'a change that is lost because somebody was quicker',
      provenBy:
        'test/runtime/controller/work-queue.test.ts: conflict: 10 ms doubling to 5 s, a back-off of its own',
      was: 'schedule(key, wake, delayAfter(conflicts, key, conflictBackoff));',
      becomes: '',
    },
    {
      against: 'a resource that is never looked at again',
      provenBy: 'test/runtime/controller/work-queue.test.ts: after: again once the delay is over',
      was: 'schedule(key, wake, next.delayMs);',
      becomes: '',
    },
  ],
  'runtime/controller/merge-map-by-key.ts': [
    {
      against: 'two runs of one key at a time',
      provenBy:
        'test/runtime/controller/work-queue.test.ts: no key ever runs twice at once, whatever wakes it',
      was: 'if (running.has(key)) return;',
      becomes: '',
    },
    {
      against: 'a change that is lost because it came during a run',
      provenBy:
        'test/runtime/controller/merge-map-by-key.test.ts: an item that arrives during a run has its turn after it',
      was: 'if (waiting !== undefined) ready.add(key, urgencyOf(waiting.mostUrgent));',
      becomes: '',
    },
  ],
  'runtime/controller/controller.ts': [
    {
      against: 'a failure after which nobody tries again',
      provenBy: 'test/runtime/controller/controller.test.ts: a wait that the server asked for is kept',
      was: "end('error', { type: 'requeue', ...(retryAfterMs && { atLeastMs: retryAfterMs }) }, { error });",
      becomes: "end('error', { type: 'done' }, { error });",
    },
  ],
  'controllers/author/check-ownership.ts': [
    {
      against: "somebody else's database, taken over",
      provenBy:
        'test/controllers/fcp/favourite-db-instance.test.ts: is not adopted, not changed and not deleted',
      was: "if (ownership === 'ours' || (ownership === 'nobody' && isKnown)) return 'ours';",
      becomes: "return 'ours';",
    },
  ],
  'controllers/author/named-by-us.ts': [
    {
      against: 'a protection in the cloud that goes though policies do not allow Update',
      provenBy:
        'test/controllers/author/named-by-us.test.ts: keeps its protection where policies do not allow Update, which is said before the cloud refuses',
      was: 'if (!shouldUpdate(managed.spec)) throw new Error(staysProtected(noun, managed));',
      becomes: '',
    },
    {
      against: "the deletion of somebody else's database",
      provenBy:
        'test/controllers/fcp/favourite-db-instance.test.ts: is not adopted, not changed and not deleted',
      was: 'if (seen === undefined) return;',
      becomes: 'if (seen === undefined) return thingsOf(managed).delete(nameOf(managed), signal);',
    },
  ],
  'controllers/fcp/network/external-client.ts': [
    {
      against: 'a second network after an interrupted creation',
      provenBy: 'test/controllers/fcp/network.test.ts: is found by its tags, and not repeated',
      was: 'if (id !== undefined) return { externalName: id };',
      becomes: '',
    },
    {
      against: "the deletion of somebody else's network",
      provenBy: 'test/controllers/fcp/network.test.ts: a network of another owner is not deleted',
      was: "if (network !== undefined && claim(managed, network) === 'ours') {",
      becomes: 'if (network !== undefined) {',
    },
  ],
  'controllers/postgresql/postgresql-database/external-client.ts': [
    {
      against: 'a database that nobody owns',
      provenBy: 'test/controllers/postgresql/crash.test.ts: it creates it',
      was: 'await databases.create(nameOf(managed), spec, { ownerId: ownerIdOf(managed), signal });',
      becomes: "await databases.create(nameOf(managed), spec, { ownerId: '-', signal });",
    },
  ],
  'clients/postgresql/database-build.ts': [
    {
      against: 'a creation that never succeeds after a crash in its midst',
      provenBy: 'test/controllers/postgresql/crash.test.ts: it creates it',
      was: 'await dropUnfinished(session, unfinished); // created before a crash, perhaps from another spec',
      becomes: '',
    },
  ],
  'controllers/postgresql/postgresql-database/leftovers.ts': [
    {
      against: 'an interrupted creation that outlives its managed resource',
      provenBy: 'test/controllers/postgresql/leftovers.test.ts: a creation that was interrupted',
      was: '(await databases.observe(unfinishedName(ownerIdOf(managed), name), { signal })) !== undefined ||',
      becomes: '',
    },
    {
      against: "the drop of somebody else's database",
      provenBy: 'test/controllers/postgresql/leftovers.test.ts: a database of another owner stays',
      was: 'if (database === undefined || isOurs(managed, database)) {',
      becomes: 'if (true) {',
    },
  ],
  'controllers/author/named-by-cloud.ts': [
    {
      against: 'a second one beside what an earlier attempt has made',
      provenBy:
        'test/controllers/author/named-by-cloud.test.ts: a resource that carries our tags already is adopted, and nothing else is created',
      was: 'if (staying !== undefined) return { externalName: idOf(staying) };',
      becomes: '',
    },
    {
      against: 'a choice among several that carry our tags',
      provenBy:
        'test/controllers/author/named-by-cloud.test.ts: of several that carry our tags none is chosen',
      was: 'if (staying !== undefined && others.length > 0) {',
      becomes: 'if (false) {',
    },
    {
      against: 'what a cloud finds by our tags, and carries others',
      provenBy:
        'test/controllers/author/named-by-cloud.test.ts: a resource of another owner that the cloud returns as ours is not adopted',
      was: "return found.filter((thing) => ownershipOf(adapter.told(managed, thing).tags, its) === 'ours');",
      becomes: 'return found;',
    },
    {
      against: 'what goes, taken for what is to be made',
      provenBy:
        'test/controllers/author/named-by-cloud.test.ts: a resource with our tags that is being deleted is not adopted, and the creation reports it',
      was: 'const [staying, ...others] = all.filter(isStaying(managed));',
      becomes: 'const [staying, ...others] = all;',
    },
    {
      against: 'something in a cloud that nobody finds again',
      provenBy:
        'test/controllers/author/named-by-cloud.test.ts: a resource has the tags of its owner from its creation on, whatever tags a user asks for',
      was: 'const tags = { ...asked(managed), ...ownerTags(owner(managed)) };',
      becomes: 'const tags = asked(managed);',
    },
    {
      against: 'a thing that a tag of its user gives to somebody else',
      provenBy:
        'test/controllers/author/named-by-cloud.test.ts: tags that a user asks for do not change the owner',
      was: 'withoutOwner(adapter.tagsOf?.(managed) ?? {})',
      becomes: '(adapter.tagsOf?.(managed) ?? {})',
    },
    {
      against: 'a human asked for a creation that can be found, though its answer is lost',
      provenBy: 'test/controllers/author/named-by-cloud.test.ts: one whose answer is lost is found',
      was: 'if (created?.staying !== undefined) return { externalName: idOf(created.staying) };',
      becomes: '',
    },
    {
      against: 'a second one, where the first does not show and its answer is lost',
      provenBy:
        'test/controllers/author/named-by-cloud.test.ts: one whose answer is lost and that does not show is left to a human',
      was: 'throw new UncertainCreationError((error as Error).message, { cause: error });',
      becomes: 'throw error;',
    },
    {
      against: 'a second one, where the first cannot be looked for and its answer is lost',
      provenBy:
        'test/controllers/author/named-by-cloud.test.ts: one whose answer is lost and that cannot be looked for is left to a human',
      was: 'const created = await ours(managed, signal).catch(() => undefined);',
      becomes: 'const created = await ours(managed, signal);',
    },
    {
      against: 'a deletion that waits for what is somebody else’s by now',
      provenBy: 'test/controllers/author/named-by-cloud.test.ts: is not there for what goes, and not deleted',
      was: "if (thing === undefined || claim(managed, thing) === 'notOurs') {",
      becomes: 'if (thing === undefined) {',
    },
    {
      against: 'a change of what has become somebody else’s since it was observed',
      provenBy: 'test/controllers/author/named-by-cloud.test.ts: is not observed as ours, nor changed',
      was: 'claim(managed, thing);\n      const { change,',
      becomes: 'const { change,',
    },
    {
      against: 'the deletion of what has become somebody else’s since it was observed',
      provenBy: 'test/controllers/author/named-by-cloud.test.ts: is not there for what goes, and not deleted',
      was: "if (thing !== undefined && claim(managed, thing) === 'ours') {",
      becomes: 'if (thing !== undefined) {',
    },
    {
      against: 'something left outside by a creation that was cut off before its name was known',
      provenBy:
        'test/controllers/author/named-by-cloud.test.ts: takes along what its creation made before it was cut off',
      was: 'return (await leftBy(managed, tagged(managed, signal), [])).find(isStaying(managed));',
      becomes: 'return undefined;',
    },
    {
      against: 'the deletion of what a former one of the name has left, by one that made nothing',
      provenBy:
        'test/controllers/author/named-by-cloud.test.ts: takes nothing along where it has begun no creation: a former one of its name may have left that',
      was: 'if (!wasDeleted(managed) || !wasBegun) return undefined;',
      becomes: 'if (!wasDeleted(managed)) return undefined;',
    },
    {
      against: 'changes of what is busy with another',
      provenBy: 'test/controllers/author/named-by-cloud.test.ts: nothing is to be changed of what is busy',
      was: '...(told.meaning.operation !== undefined && { isUpToDate: true }),',
      becomes: '',
    },
  ],
  'controllers/author/cloud-state.ts': [
    {
      against: 'work on what is being made',
      provenBy: 'test/controllers/gcp/desired-state.test.ts: being made',
      was: "return { ready: creating(), operation: 'create' };",
      becomes: 'return { ready: creating() };',
    },
    {
      against: 'another deletion of what is going',
      provenBy: 'test/controllers/gcp/desired-state.test.ts: on its way out',
      was: "return { ready: deleting(), operation: 'delete' };",
      becomes: 'return { ready: deleting() };',
    },
  ],
  'controllers/aws/connect.ts': [
    {
      against: 'a second one in the region that the provider names by now',
      provenBy:
        'test/controllers/aws/connect.test.ts: lead to the region of the provider where the resource names none, and that is part of what they lead to',
      was: 'return region === given ?',
      becomes: 'return true ?',
    },
  ],
  'controllers/aws/tags.ts': [
    {
      against: 'a user who says whose a thing is',
      provenBy: 'test/controllers/aws/tags.test.ts: of users are all but those',
      was: '!isOwnerTag(key) && !isReserved(key)',
      becomes: '!isReserved(key)',
    },
    {
      against: 'changes without end of tags that nobody can set',
      provenBy: 'test/controllers/aws/tags.test.ts: that users may not write make no difference',
      was: 'isMatch(actual, ownTags(wanted))',
      becomes: 'isMatch(actual, wanted)',
    },
  ],
  'controllers/aws/instance/external-client.ts': [
    {
      against: 'a second machine by a repeated creation: its token is the same each time',
      provenBy:
        'test/controllers/aws/ec2.test.ts: is asked for by the same token at each attempt, so that AWS makes one of all of them',
      was: "const parts = ['instance', uid ?? name, ...former.toSorted()];",
      becomes: "const parts = ['instance', String(Math.random()), ...former.toSorted()];",
    },
    {
      against: 'a machine that is never made anew, for the token was that of one that is gone',
      provenBy:
        'test/controllers/aws/ec2.test.ts: an instance that is created again after its termination is a new one, although AWS remembers the token',
      was: "const parts = ['instance', uid ?? name, ...former.toSorted()];",
      becomes: "const parts = ['instance', name];",
    },
    {
      against: 'a machine that is gone, taken for one that is to be made',
      provenBy:
        'test/controllers/aws/ec2.test.ts: an instance that is created again after its termination is a new one, although AWS remembers the token',
      was: "isStaying: state !== 'shutting-down' && state !== 'terminated',",
      becomes: 'isStaying: true,',
    },
    {
      against: 'a machine that nobody starts again, for the process died between its stop and the mark',
      provenBy: 'test/controllers/aws/ec2.test.ts: is not stopped for such a change before it is marked',
      was: 'await instances.setTags({ ...its, tags: stoppedMark }, signal);\n        await instances.stop(its, signal);',
      becomes:
        'await instances.stop(its, signal);\n        await instances.setTags({ ...its, tags: stoppedMark }, signal);',
    },
    {
      against: 'the start of a machine that somebody stopped',
      provenBy:
        'test/controllers/aws/ec2.test.ts: an instance that a user stops stays stopped, whatever fields or tags are edited',
      was: 'if (isMarked(instance)) await instances.start(its, signal);',
      becomes: 'await instances.start(its, signal);',
    },
    {
      against: 'a machine that its user marks as stopped by us',
      provenBy:
        'test/controllers/aws/ec2.test.ts: an instance that a user stops stays stopped, whatever fields or tags are edited',
      was: 'omit(ownTags(spec.forProvider?.tags), Object.keys(stoppedMark))',
      becomes: 'ownTags(spec.forProvider?.tags)',
    },
  ],
  'controllers/aws/vpc/external-client.ts': [
    {
      against: 'a VPC that is called not made, for something of it could not be set',
      provenBy: 'test/controllers/aws/ec2.test.ts: is recorded before a failed later step is tried again',
      was: 'attributesIn(wanted), signal).catch(() => {});',
      becomes: 'attributesIn(wanted), signal);',
    },
  ],
  'controllers/aws/subnet/external-client.ts': [
    {
      against: 'a subnet that is called not made, for something of it could not be set',
      provenBy: 'test/controllers/aws/ec2.test.ts: is recorded before a failed later step is tried again',
      was: 'true, signal).catch(() => {});',
      becomes: 'true, signal);',
    },
  ],
  'controllers/aws/node-group/external-client.ts': [
    {
      against: 'whatever is done to a node group that somebody else made',
      provenBy:
        'test/controllers/aws/node-group.test.ts: a node group of the name that another user created is not adopted, changed or deleted',
      was: "return group !== undefined && claim(managed, group) === 'ours' ? group : undefined;",
      becomes: 'return group;',
    },
    {
      against: 'the deletion of a node group that has become somebody else’s since it was observed',
      provenBy:
        'test/controllers/aws/node-group.test.ts: a node group of the name that another user created is not adopted, changed or deleted',
      was: 'if ((await find(managed, signal)) !== undefined)',
      becomes: 'if (managed !== undefined)',
    },
    {
      against: 'a node group taken for ours that is not to be seen',
      provenBy: 'test/controllers/aws/node-group.test.ts: takes none that EKS calls taken and does not show',
      was: 'if ((await find(managed, signal)) === undefined) throw error;',
      becomes: '',
    },
    {
      against: 'a second update that EKS refuses until the first has ended',
      provenBy:
        'test/controllers/aws/node-group.test.ts: asks for one update at a time, and follows it until it has ended',
      was: ': version !== undefined\n            ? await groups.changeVersion(name, version, signal)\n            : undefined;',
      becomes:
        ': undefined;\n      if (version !== undefined) await groups.changeVersion(name, version, signal);',
    },
    {
      against: 'an update whose end nobody learns of',
      provenBy:
        'test/controllers/aws/node-group.test.ts: asks for one update at a time, and follows it until it has ended',
      was: 'if (id !== undefined) return { operation: operationName(managed, id) };',
      becomes: '',
    },
    {
      against: 'an update that is called done because EKS knows none of it any more',
      provenBy:
        'test/controllers/aws/node-group.test.ts: asks for one update at a time, and follows it until it has ended',
      was: "if (update === undefined) return { state: 'unknown' };",
      becomes: "if (update === undefined) return { state: 'done' };",
    },
  ],
  'controllers/aws/queue/external-client.ts': [
    {
      against: 'somebody else’s queue, made since the look',
      provenBy:
        'test/controllers/aws/queue.test.ts: and that carries no tag of an owner is not taken, though SQS answers as if it were new',
      was: 'if (made !== undefined) claim(managed, made);',
      becomes: '',
    },
    {
      against: 'a queue of ours that is asked for anew, and refused because it has other attributes',
      provenBy: 'test/controllers/aws/queue.test.ts: of ours is found, whatever its attributes are by now',
      was: 'const existing = await found();',
      becomes: 'const existing = undefined as CloudQueue | undefined;',
    },
    {
      against: 'a queue found in place of a creation, and taken whosever it is',
      provenBy:
        'test/controllers/aws/queue.test.ts: a queue of the same name that another user created is not adopted',
      was: 'if (queue !== undefined) claim(managed, queue);',
      becomes: '',
    },
    {
      against: 'a second creation, where nobody knows of the first',
      provenBy:
        'test/controllers/aws/queue.test.ts: a creation whose answer was lost is found again, and one that cannot be found waits for an administrator',
      was: 'throw new UncertainCreationError((error as Error).message, { cause: error });',
      becomes: 'throw error;',
    },
    {
      against: 'a second creation, where the first cannot be looked for',
      provenBy:
        'test/controllers/aws/queue.test.ts: a queue whose answer is lost and that cannot be looked for waits for a human',
      was: 'const created = await found().catch(() => undefined);',
      becomes: 'const created = await found();',
    },
    {
      against: 'a change of what has become somebody else’s queue',
      provenBy: 'test/controllers/aws/queue.test.ts: is neither changed nor deleted, by its name or its URL',
      was: 'claim(managed, queue);\n      const queues = queuesOf(managed);',
      becomes: 'const queues = queuesOf(managed);',
    },
    {
      against: 'the deletion of what has become somebody else’s queue',
      provenBy: 'test/controllers/aws/queue.test.ts: is neither changed nor deleted, by its name or its URL',
      was: "if (queue !== undefined && claim(managed, queue) === 'ours')",
      becomes: 'if (queue !== undefined)',
    },
    {
      against: 'a deletion that waits for somebody else’s queue',
      provenBy: 'test/controllers/aws/queue.test.ts: is neither changed nor deleted, by its name or its URL',
      was: "if (queue === undefined || claim(managed, queue) === 'notOurs') {",
      becomes: 'if (queue === undefined) {',
    },
    {
      against: 'a queue left outside by a creation that was cut off before its URL was known',
      provenBy:
        'test/controllers/aws/queue.test.ts: takes along what its creation made before it was cut off',
      was: 'if (given === undefined && !(wasDeleted(managed) && wasBegun)) return undefined;',
      becomes: 'if (given === undefined) return undefined;',
    },
    {
      against: 'the deletion of a queue that a former one of the name has left',
      provenBy: 'test/controllers/aws/queue.test.ts: takes nothing along where it has begun no creation',
      was: 'if (given === undefined && !(wasDeleted(managed) && wasBegun)) return undefined;',
      becomes: 'if (given === undefined && !wasDeleted(managed)) return undefined;',
    },
    {
      against: 'a queue of this account in place of the one that its URL says is in another',
      provenBy: 'test/controllers/aws/queue.test.ts: another account’s queue by its URL',
      was: 'if (told.account !== account) {',
      becomes: 'if (false) {',
    },
    {
      against: 'a queue by a URL that is that of another',
      provenBy:
        'test/controllers/aws/queue.test.ts: a URL that names another queue is reported with the right one, and the queue is not changed',
      was: 'if (queue === undefined || told === undefined || isUrlOf(managed, queue)) return queue;',
      becomes: 'return queue;',
    },
    {
      against: 'a creation where somebody wrote down the URL of a queue that is not there',
      provenBy: 'test/controllers/aws/queue.test.ts: of what is not there',
      was: "return isUrl ? writtenNameProblem(managed, 'queue') : undefined;",
      becomes: 'return undefined;',
    },
  ],
  'controllers/gcp/cloud-memorystore-instance/external-client.ts': [
    {
      against: 'whatever is done to an instance that somebody else made',
      provenBy:
        'test/controllers/gcp/stack.test.ts: an instance of another owner is not changed, and is reported',
      was: "return checkOwnership(managed, candidate, labelOwner(managed)) === 'ours' ? instance : undefined;",
      becomes: 'return instance;',
    },
    {
      against: 'the deletion of an instance that has become somebody else’s since it was observed',
      provenBy:
        'test/controllers/gcp/external-clients.test.ts: of another owner is neither adopted nor changed nor deleted',
      was: 'if ((await find(managed, signal)) === undefined) return {};',
      becomes: '',
    },
    {
      against: 'an instance taken for ours that is not to be seen',
      provenBy:
        'test/controllers/gcp/external-clients.test.ts: that is there and does not show is not taken for ours',
      was: 'if ((await find(managed, signal)) === undefined) throw error;',
      becomes: '',
    },
    {
      against: 'an instance taken for ours because a former one of its name was',
      provenBy:
        'test/controllers/gcp/external-clients.test.ts: that was seen before is ours without labels, and another of its name that was made since is not',
      was: 'isKnown: seen !== undefined && seen === createTime,',
      becomes: 'isKnown: seen !== undefined,',
    },
    {
      against:
        'a change that the cloud refuses until a new version is there, or that hides the end of its installation',
      provenBy:
        'test/controllers/gcp/external-clients.test.ts: gets its new version first, and the rest once that is there',
      was: 'return { operation: await memorystore.upgrade(id, redisVersion, signal) };',
      becomes: 'await memorystore.upgrade(id, redisVersion, signal);',
    },
    {
      against: 'a password that is published while it is being changed',
      provenBy:
        'test/controllers/gcp/external-clients.test.ts: is not asked for its password while it is at something else: what was published counts',
      was: 'const access = instance.state === memorystoreStates.ready ?',
      becomes: 'const access = true ?',
    },
  ],
  'controllers/gcp/topic/external-client.ts': [
    {
      against: 'whatever is done to a topic that somebody else made',
      provenBy:
        'test/controllers/gcp/external-clients.test.ts: of another owner is neither adopted nor changed nor deleted',
      was: "return checkOwnership(managed, candidate, labelOwner(managed)) === 'ours' ? topic : undefined;",
      becomes: 'return topic;',
    },
    {
      against: 'the deletion of a topic that has become somebody else’s since it was observed',
      provenBy:
        'test/controllers/gcp/external-clients.test.ts: of another owner is neither adopted nor changed nor deleted',
      was: 'if ((await find(managed, signal)) !== undefined) await',
      becomes: 'await',
    },
    {
      against: 'a topic taken for ours that is not to be seen',
      provenBy:
        'test/controllers/gcp/external-clients.test.ts: that is there and does not show is not taken for ours',
      was: 'if ((await find(managed, signal)) === undefined) throw error;',
      becomes: '',
    },
  ],
  'controllers/gcp/labels.ts': [
    {
      against: 'something in Google Cloud that nobody finds again',
      provenBy: 'test/controllers/gcp/desired-state.test.ts: a new one carries our labels',
      was: '...ownerTags(labelOwner(managed)),',
      becomes: '',
    },
    {
      against: 'a user who says whose a thing is, again and again',
      provenBy: 'test/controllers/gcp/desired-state.test.ts: a user cannot set the labels of the owner',
      was: 'isEqual(usersLabels(wanted), actual)',
      becomes: 'isEqual(wanted, actual)',
    },
    {
      against: 'changes of labels that Google takes from nobody, without end',
      provenBy:
        'test/controllers/gcp/desired-state.test.ts: labels of the user are sent with ours, and what Google added stays',
      was: 'return { ...googles, ...newLabels(managed, wanted) };',
      becomes: 'return newLabels(managed, wanted);',
    },
  ],
  'controllers/gcp/progress.ts': [
    {
      against: 'an operation that is called done because the cloud has forgotten it',
      provenBy:
        'test/controllers/gcp/external-clients.test.ts: is neither done nor failed for all we know once the cloud has forgotten it',
      was: "if (found === undefined) return { state: 'unknown' };",
      becomes: "if (found === undefined) return { state: 'done' };",
    },
    {
      against: 'the next operation before the last one has ended',
      provenBy: 'test/controllers/gcp/external-clients.test.ts: is not over before',
      was: "if (!found.done) return { state: 'running' };",
      becomes: '',
    },
    {
      against: 'an operation that failed, and is called done',
      provenBy:
        'test/controllers/gcp/stack.test.ts: an operation that fails is reported with the reason, and requested again',
      was: 'return failure === undefined',
      becomes: 'return failure !== null',
    },
  ],
  'clients/aws/aws-client.ts': [
    {
      against: 'a second one, where the answer of the first is lost',
      provenBy: 'test/clients/aws/aws-client.test.ts: is not repeated after a lost answer',
      was: '(isRepeatable && refusal.isRetryable)',
      becomes: 'refusal.isRetryable',
    },
    {
      against: 'a creation called not sent that repeats one which may have been carried out',
      provenBy:
        'test/clients/aws/aws-client.test.ts: a call that the process keeps back is uncertain if it repeats one that may have been carried out',
      was: 'if (refusal instanceof HaltedError) throw new HaltedError(refusal.cause, before);',
      becomes: '',
    },
    {
      against: 'a refusal of what does not show yet, where that was just made',
      provenBy:
        'test/clients/aws/aws-client.test.ts: is repeated where something does not show yet, and is expected to',
      was: 'const isEarly = notYet?.test(refusal.code) === true;',
      becomes: 'const isEarly = false;',
    },
    {
      against: 'repetitions without end',
      provenBy: 'test/clients/aws/aws-client.test.ts: is repeated four times at most',
      was: 'if (!mayRepeat || attempt >= maxAttempts) throw refusal;',
      becomes: 'if (!mayRepeat) throw refusal;',
    },
    {
      against: 'repetitions at once, where AWS limits requests',
      provenBy: 'test/clients/aws/aws-client.test.ts: is repeated where AWS limits requests, later and later',
      was: 'await clock.sleep(waitMs, signal);',
      becomes: '',
    },
    {
      against: 'a repetition sooner than AWS asks for',
      provenBy: 'test/clients/aws/aws-client.test.ts: is not repeated where AWS asks for a long wait',
      was: 'refusal.retryAfterMs ?? firstMs',
      becomes: 'firstMs',
    },
    {
      against: 'a run that waits for as long as AWS asks for',
      provenBy: 'test/clients/aws/aws-client.test.ts: is not repeated where AWS asks for a long wait',
      was: 'if (waitMs > maxWaitMs) throw refusal;',
      becomes: '',
    },
  ],
  'clients/aws/sdk-failures.ts': [
    {
      against: 'repetitions by the official client, which knows of no rule of ours',
      provenBy: 'test/clients/aws/aws-client.test.ts: is repeated four times at most',
      was: "throw new Error('nothing is tried again here');",
      becomes: 'return token;',
    },
  ],
  'clients/aws/ec2/tags.ts': [
    {
      against: 'a bare 404 taken for absence from EC2',
      provenBy: 'test/clients/aws/absence.test.ts: a 404 of a gateway with a page',
      was: 'missing.test(error.code)) return undefined;',
      becomes: '(missing.test(error.code) || error.status === 404)) return undefined;',
    },
    {
      against: 'a second one, or one left outside, because something before EC2 answered with nothing',
      provenBy: 'test/clients/aws/absence.test.ts: nothing with the status of an answer',
      was: 'if (value !== undefined) return value;',
      becomes: 'if (value !== null) return value ?? ([] as T);',
    },
  ],
  'clients/aws/ec2/vpcs.ts': [
    {
      against: 'a second VPC, where the answer of the first is lost',
      provenBy:
        'test/controllers/aws/ec2.test.ts: is asked for once: where the answer is lost, it is found by the tags that it was made with',
      was: 'what, isRepeatable: false, fields },',
      becomes: 'what, isRepeatable: true, fields },',
    },
    {
      against: 'a VPC that carries no tag of ours from its first moment',
      provenBy:
        'test/controllers/aws/ec2.test.ts: is asked for once: where the answer is lost, it is found by the tags that it was made with',
      was: "TagSpecifications: tagsOfNew('vpc', tags),",
      becomes: '',
    },
    {
      against: 'what was to be set at a creation only, given up because the VPC did not show everywhere',
      provenBy: 'test/controllers/aws/ec2.test.ts: has them also where it does not show everywhere at once',
      was: 'notYet: missing,',
      becomes: '',
    },
  ],
  'clients/aws/ec2/subnets.ts': [
    {
      against: 'a second subnet, where the answer of the first is lost',
      provenBy:
        'test/controllers/aws/ec2.test.ts: is asked for once: where the answer is lost, it is found by the tags that it was made with',
      was: 'what, isRepeatable: false, fields },',
      becomes: 'what, isRepeatable: true, fields },',
    },
    {
      against: 'a subnet that carries no tag of ours from its first moment',
      provenBy:
        'test/controllers/aws/ec2.test.ts: is asked for once: where the answer is lost, it is found by the tags that it was made with',
      was: "TagSpecifications: tagsOfNew('subnet', tags),",
      becomes: '',
    },
  ],
  'clients/aws/ec2/instances.ts': [
    {
      against: 'a second machine by a creation that AWS cannot tell from another',
      provenBy:
        "test/controllers/aws/ec2.test.ts: a creation whose answer is lost has one instance by its token, after an administrator's approval",
      was: 'ClientToken: wanted.clientToken,',
      becomes: '',
    },
  ],
  'clients/aws/eks/node-groups.ts': [
    {
      against: 'a bare 404 taken for absence from EKS',
      provenBy: 'test/clients/aws/absence.test.ts: a 404 of a gateway with a page',
      was: "error.code === 'ResourceNotFoundException';",
      becomes: 'error.status === 404;',
    },
    {
      against: 'a node group taken for gone because something before EKS answered with nothing',
      provenBy: 'test/clients/aws/absence.test.ts: nothing with the status of an answer',
      was: 'const group = given(nodegroup, what);',
      becomes: 'if (nodegroup === undefined) return undefined;\n        const group = nodegroup;',
    },
    {
      against: 'an answer that is about another node group',
      provenBy: 'test/clients/aws/absence.test.ts: of a node group of another cluster',
      was: 'if (about !== ',
      becomes: 'if (false && about !== ',
    },
  ],
  'clients/aws/sqs/queues.ts': [
    {
      against: 'a bare 404 taken for absence from SQS',
      provenBy: 'test/clients/aws/absence.test.ts: a 404 of a gateway with a page',
      was: 'error instanceof CloudError && absent.includes(error.code);',
      becomes: 'error instanceof CloudError && (absent.includes(error.code) || error.status === 404);',
    },
    {
      against: 'a queue taken for not there because something before SQS answered with nothing',
      provenBy: 'test/clients/aws/absence.test.ts: nothing with the status of an answer',
      was: 'checkUrl(what, name, url);\n        const',
      becomes: 'if (url === undefined) return undefined;\n        const',
    },
    {
      against: 'an answer that is about another queue',
      provenBy: 'test/clients/aws/absence.test.ts: of another queue',
      was: 'if (url?.endsWith(',
      becomes: 'if (url !== undefined || url?.endsWith(',
    },
  ],
  'clients/aws/db-instances.ts': [
    {
      against: 'a bare 404 taken for absence from RDS',
      provenBy: 'test/clients/aws/absence.test.ts: a 404 of a gateway with a page',
      was: 'error instanceof CloudError && (error.code === code',
      becomes: 'error instanceof CloudError && (error.status === 404 || error.code === code',
    },
    {
      against: 'a database taken for gone because something before RDS answered with nothing',
      provenBy: 'test/clients/aws/absence.test.ts: nothing with the status of an answer',
      was: "if (instance === undefined) throw nonsense(what, 'it holds no instance');",
      becomes: 'if (instance === undefined) return undefined;',
    },
    {
      against: 'an answer that is about another database',
      provenBy: 'test/clients/aws/absence.test.ts: of another DB instance',
      was: 'if (id.toLowerCase() !== name.toLowerCase())',
      becomes: 'if (false)',
    },
  ],
  'clients/gcp/google-api.ts': [
    {
      against: 'a project that there is not, taken for the absence of what is in it',
      provenBy: 'test/clients/gcp/absence.test.ts: a project that there is not',
      was: "const isAboutProject = status === 'NOT_FOUND' && /^Requested project not found/.test(message);",
      becomes: 'const isAboutProject = false;',
    },
    {
      against: 'a request to another place than the name is meant for',
      provenBy: 'test/clients/gcp/google-api.test.ts: is no name',
      was: 'if (bad !== undefined) {',
      becomes: 'if (false) {',
    },
  ],
  'clients/gcp/memorystore.ts': [
    {
      against: 'an answer that is about another instance',
      provenBy: 'test/clients/gcp/absence.test.ts: an answer about another is none',
      was: 'if (!data.name.endsWith(',
      becomes: 'if (false && !data.name.endsWith(',
    },
  ],
  'clients/gcp/pubsub.ts': [
    {
      against: 'an answer that is about another topic',
      provenBy: 'test/clients/gcp/absence.test.ts: an answer about another is none',
      was: 'if (!data.name.endsWith(',
      becomes: 'if (false && !data.name.endsWith(',
    },
  ],
  'clients/gcp/access-tokens.ts': [
    {
      against: 'an exchange for each request that was refused, in place of one',
      provenBy:
        'test/clients/gcp/access-tokens.test.ts: a token that was refused is renewed once, however many requests report it',
      was: 'if (refused !== undefined && refused === handedOut) client = undefined;',
      becomes: 'if (refused !== undefined) client = undefined;',
    },
  ],
  'clients/cloud-error.ts': [
    {
      against: 'a bare 404 taken for absence',
      provenBy: 'test/clients/gcp/absence.test.ts: an error without a status',
      was: 'error.status === 404 && [code].flat().includes(error.code);',
      becomes: 'error.status === 404;',
    },
    {
      against: 'a creation called failed that repeats one which may have been carried out',
      provenBy: 'test/clients/http.test.ts: is uncertain if it repeats one that may have been carried out',
      was: '(error instanceof HaltedError && isUncertain(error.before)) ||',
      becomes: '',
    },
  ],
  'clients/http.ts': [
    {
      against: 'a second one, where the answer of the first is lost',
      provenBy: 'test/clients/http-forms.test.ts: no POST that does something',
      was: "(method === 'POST' && !isQuestion ? status === 429 || code === 'Unreachable' : isRetryable);",
      becomes: '(method && isQuestion && status && code) || isRetryable;',
    },
    {
      against: 'a request called not sent that repeats one which may have been carried out',
      provenBy: 'test/clients/http.test.ts: is uncertain if it repeats one that may have been carried out',
      was: 'if (error instanceof HaltedError) throw new HaltedError(error.cause, before);',
      becomes: '',
    },
    {
      against: 'a request that was kept back, and is taken for one that may have been carried out',
      provenBy:
        'test/clients/http.test.ts: is not sent, is reported as halted, and is neither repeated nor uncertain',
      was: 'throw new HaltedError(error as Error);',
      becomes: 'throw error;',
    },
    {
      against: 'tokens that are renewed and refused in turns',
      provenBy: 'test/clients/http.test.ts: that is refused is renewed, once, for a POST as well',
      was: 'error.status === 401 && refused === undefined &&',
      becomes: 'error.status === 401 &&',
    },
    {
      against: 'repetitions at once',
      provenBy: 'test/clients/http.test.ts: waits double, are jittered, and Retry-After goes before them',
      was: 'await clock.sleep(waitMs, signal);',
      becomes: '',
    },
  ],
};

export const guards: readonly Guard[] = Object.entries(byFile).flatMap(([file, all]) =>
  all.map((guard) => ({ file, ...guard })),
);
