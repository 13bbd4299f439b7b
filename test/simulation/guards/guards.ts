/** A guard of the product, and the source without it. */
export interface Guard {
  /** From the root of the project. */
  readonly file: string;
  /** The exact text, which the file has once. */
  readonly was: string;
  /** What stands there without the guard. */
  readonly becomes: string;
  /** What it guards against. */
  readonly against: string;
  /** The unit test that fails without it where no seed notices, as `file: title`. */
  readonly provenBy?: string;
}

/** In each file, the guards that something must notice the lack of. */
const byFile: Readonly<Record<string, readonly Omit<Guard, 'file'>[]>> = {
  'controllers/core/managed/overtaken.ts': [
    {
      against: 'what is gone before its finalizer held, and left outside',
      provenBy: 'test/controllers/core/managed/overtaken.test.ts: leaves what it was only to look at',
      was: 'const isUnmarked = isLast === true && !wasDeleted(object);',
      becomes: 'const isUnmarked = false;',
    },
    {
      against: 'what was made for one that somebody let go of meanwhile, of which the watch tells late',
      provenBy:
        'test/controllers/core/managed/overtaken.test.ts: after that, and nothing has been heard of it since',
      was: "else making.set(uid, 'ended');",
      becomes: 'else making.delete(uid);',
    },
    {
      against:
        'the deletion of what another process has made and told of, and somebody then took upon himself',
      provenBy:
        'test/controllers/core/managed/overtaken.test.ts: who only takes its finalizer away knows of it, and keeps it',
      was: 'if (!isHeld && isUnmarked && isTold(object)) making.delete(uid);',
      becomes: '',
    },
  ],
  'controllers/core/managed/ending.ts': [
    {
      against: 'credentials that a former claim knows, handed on to the next one',
      provenBy:
        'test/controllers/core/managed/renewals.test.ts: where the system makes them, and others can only be had there: then it is',
      was: "(ready?.status === 'True' || isUnset) && isWithheld(run);",
      becomes: 'false;',
    },
    {
      against: 'an offer that is used up before its resource has other credentials',
      provenBy:
        'test/controllers/core/managed/renewals.test.ts: where the system makes them, and others can only be had there: then it is',
      was: "ready?.status === 'True' && isReoffered(current) && !isWithheld(run);",
      becomes: "ready?.status === 'True' && isReoffered(current);",
    },
    {
      against: 'the password of a former claim, where the secret is named again after an offer',
      provenBy:
        'test/controllers/core/managed/revisions.test.ts: nor where nothing is on record of what its claim was told',
      was: 'const known = isTakenUp ? { ...run, ...pastAll(current, run.before) } : run;',
      becomes: 'const known = run;',
    },
    {
      against:
        'a password that another process has set, taken for published because a former one says late that it is',
      provenBy:
        'test/controllers/core/managed/renewals.test.ts: with a mark of its own by who has seen before what the former has published, and may say yet',
      was: "...(!run.isRenewalAnothers && pick(run, 'publishedRevision', 'unpublishedRevision')),",
      becomes: "...pick(run, 'publishedRevision', 'unpublishedRevision'),",
    },
    {
      against:
        'the deletion of what somebody let go of long after its creation, of which no write was answered',
      provenBy:
        'test/controllers/core/managed/overtaken.test.ts: was carried out, and answered with a conflict',
      was: ' || (await isHeldUntold(options, stored, signal))',
      becomes: '',
    },
    {
      against:
        'something left outside that was made for what another process had let go of before this one asked',
      provenBy:
        'test/controllers/core/managed/overtaken.test.ts: leaves nothing though the object is there still when it is asked for, held by somebody else only',
      was: 'return hasFinalizer(held, finalizerNames.managed);',
      becomes: 'return true;',
    },
  ],
  'controllers/core/managed/revisions.ts': [
    {
      against: 'a revision counted up by each process that begins, for what is refused for good',
      provenBy:
        'test/controllers/core/managed/revisions.test.ts: and is outdated once, however often that is refused, and however many processes begin',
      was: 'revision === 0 || revision === managed.status?.unpublishedRevision;',
      becomes: 'revision === 0;',
    },
  ],
  'controllers/core/managed/beside-overtaken.ts': [
    {
      against: 'the password of what the first of a name made, taken over for something else',
      provenBy:
        'test/controllers/core/managed/overtaken.test.ts: does not take over the password of what the first one made, where it stands for something else',
      was: 'if (found !== undefined && isOneExternal(identity, gone, found) === false) {',
      becomes: 'if (false) {',
    },
    {
      against: 'the deletion of what another of the name may take up, which came while that was looked at',
      provenBy:
        'test/controllers/core/managed/overtaken.test.ts: which comes while what the first one made is looked at keeps it',
      was: "if (decideOvertaken(gone, heir, identity).act !== 'delete') throw changedSinceRead();",
      becomes: '',
    },
  ],
  'controllers/core/managed/act.ts': [
    {
      against: 'an offer taken up with the former credentials, because something else was changed',
      provenBy: 'test/controllers/core/managed/renewals.test.ts: because something else of it was changed',
      was: 'if (areSet) renewals.done(run.current);\n  const isToBeRenewed = shown.isToBeRenewed === true && !areSet;',
      becomes: 'renewals.done(run.current);\n  const isToBeRenewed = false;',
    },
    {
      against: 'a creation taken for lost because the look at it was read after the process had stood still',
      provenBy:
        'test/controllers/core/managed/absence.test.ts: deleted: nor must a creation show by now because the answer is read late',
      was: 'now: run.lookedAt ?? env.clock.now(),',
      becomes: 'now: env.clock.now(),',
    },
    {
      against: 'the password of what is gone, believed where its secret is named again',
      provenBy:
        'test/controllers/core/managed/revisions.test.ts: where its resource was made anew while it was published nowhere',
      was: 'const run = await outdatePublished(context, found);',
      becomes: 'const run = found;',
    },
    {
      against: 'something made for what another process has let go of',
      provenBy:
        'test/controllers/core/managed/overtaken.test.ts: is not made if the watch has told so by then',
      was: 'if (stored?.metadata.uid !== marked.current.metadata.uid) return endings.gone(marked);',
      becomes: '',
    },
    {
      against: 'a creation by a stale read, where an earlier attempt has left nothing to write',
      provenBy:
        'test/controllers/core/managed/reconciler.test.ts: CreateExternal: …and a second attempt, which has nothing to write, asks the API server instead',
      was: 'if (marked.current === run.current && !(await isStored(context, marked, cannotCreate))) {',
      becomes: 'if (marked === undefined) {',
    },
    {
      against: 'the deletion of what another resource of the name has by then',
      provenBy: 'test/controllers/core/managed/look-before-deletion.test.ts: another has its name',
      was: 'if (stored?.metadata.uid !== metadata.uid) return false;',
      becomes: '',
    },
    {
      against: 'a creation under a name while a call deletes what another resource had there',
      provenBy:
        'test/controllers/core/managed/deletions-under-way.test.ts: nothing is made under that name, and that is said',
      was: 'isBeingDeleted: !observed.exists && deletions.has(sharedIdentity(identity, run)),',
      becomes: '',
    },
    {
      against: 'the deletion of what is to stay outside since the run began',
      provenBy: 'test/controllers/core/managed/look-before-deletion.test.ts: deletionPolicy is Orphan',
      was: 'if (stored?.metadata.resourceVersion === metadata.resourceVersion) return true;',
      becomes: 'if (stored !== undefined) return true;',
    },
    {
      against: 'an edit of what identifies a resource while it is created',
      provenBy:
        'test/controllers/core/managed/identity.test.ts: while it is being made, whose answer is lost',
      was: 'const record = { [annotationKeys.externalIdentity]: encodeIdentity(identityToRecord(identity, run)) };',
      becomes: 'const record = {};',
    },
    {
      against: 'what was just made and does not show yet, forgotten because it did not show before',
      provenBy: 'test/controllers/core/managed/absence.test.ts: are no proof that it made nothing',
      was: 'absences.forget(objectKey(run.current.metadata)); // from here on it may be there, and only not show yet',
      becomes: '',
    },
    {
      against: 'a second external resource after a crash between creation and its record',
      provenBy:
        'test/controllers/core/managed/crash.test.ts: a creation that was cut off is completed once a human has looked and removed the mark',
      was: 'const annotations = identity.isAssigned ? { ...record, ...mark } : record;',
      becomes: 'const annotations = record;',
    },
    {
      against: 'a creation that nobody knows of: finalizer, name and marks come first',
      provenBy:
        'test/controllers/core/managed/reconciler.test.ts: CreateExternal: the external name is defaulted to the object name, in the write that adds the finalizer',
      was: 'const marked = await prepare(context, run, { annotations, ready: isCreating });',
      becomes: 'const marked = run;',
    },
    {
      against: 'an assigned name that is forgotten',
      provenBy:
        'test/controllers/core/managed/absence.test.ts: where the external system gives the names, it never is, until somebody takes the name away',
      was: 'const recorded = await recordCreation(context, made, creation);',
      becomes: 'const recorded = made;',
    },
    {
      against: 'passwords that are renewed without end by who writes no mark, and finds one',
      provenBy:
        'test/controllers/core/managed/renewals.test.ts: that credentials are about to be set is on record first',
      was: 'observed.setsCredentials || isMarked ? await markRenewal(context, found) : found',
      becomes: 'observed.setsCredentials ? await markRenewal(context, found) : found',
    },
    {
      against: 'a password of what was lost, handed out with what another process made anew',
      provenBy:
        'test/controllers/core/managed/unpublished.test.ts: credentials that cannot be published are not set anew each time',
      was: 'const made = withoutUnpublished(context, marked);',
      becomes: 'const made = marked;',
    },
    {
      against: 'a managed resource that goes before its external resource has gone',
      provenBy:
        'test/controllers/core/managed/reconciler.test.ts: DeleteExternal: deletion was requested: looked at again soon, and the finalizer stays until it is gone',
      was: 'return observed.exists ? endings.leaving(looked) : finalise(context, looked);',
      becomes: 'return finalise(context, looked);',
    },
    {
      against: 'connection details that outlive their resource where nobody collects garbage',
      provenBy: 'test/controllers/core/managed/crash.test.ts: nothing is left, inside or outside',
      was: "await failing('', publisher.unpublish(current, signal), { ...cannotUnpublish, known: run });",
      becomes: '',
    },
    {
      against: 'the deletion of what an edit names in place of what was made',
      provenBy:
        'test/controllers/core/managed/identity.test.ts: deletion deletes what was made, and nothing else',
      was: 'const removing = external.delete(identified(identity, run), signal);',
      becomes: 'const removing = external.delete(run.current, signal);',
    },
    {
      against: 'an interrupted creation that nobody finds under another name',
      provenBy:
        'test/controllers/core/managed/identity.test.ts: not while something of it is left that only its deletion would find',
      was: 'if (leadsElsewhere(identity, run) && (await isAnythingLeft(context, run))) return endings.leftovers(run);',
      becomes: '',
    },
  ],
  'controllers/core/managed/absences.ts': [
    {
      against: 'an absence taken for proven because the answer was read after the process had stood still',
      provenBy:
        'test/controllers/core/managed/absence.test.ts: deleted: what a look found counts for when it was begun, however late the process reads it',
      was: 'return begunMs - first.atMs;',
      becomes: 'return clock.elapsedMs() - first.atMs;',
    },
  ],
  'controllers/core/managed/contests.ts': [
    {
      against: 'two processes that wait for each other for so short a time that each comes too late',
      provenBy: 'test/controllers/core/managed/contests.test.ts: twice as long each time',
      was: 'const { backoff } = last.get(uid) ?? { backoff: createBackoff(clock, { ...waits, random }) };',
      becomes: 'const backoff = createBackoff(clock, { ...waits, random });',
    },
  ],
  'controllers/core/managed/steps.ts': [
    {
      against: 'a password believed, though a process that has ended since set another',
      provenBy:
        'test/controllers/core/managed/renewals.test.ts: so that what another process publishes is not believed, if the one that set others is killed',
      was: 'const marked = mark === undefined ? run : await',
      becomes: 'const marked = mark !== undefined ? run : await',
    },
    {
      against: 'a former password, because the status could not be told of the new one',
      provenBy:
        'test/controllers/core/managed/revisions.test.ts: also where the status could not be told that they had',
      was: 'revisions.published(current, publishedRevision);',
      becomes: '',
    },
    {
      against: 'an external resource left behind by a deletion',
      provenBy: 'test/controllers/core/managed/crash.test.ts: nothing is left, inside or outside',
      was: 'const finalizers = withFinalizer(object, finalizerNames.managed);',
      becomes: 'const finalizers = object.metadata.finalizers ?? [];',
    },
    {
      against: 'what is made left outside, because it did not show while the external system made it',
      provenBy:
        'test/controllers/core/managed/handed-over.test.ts: is no proof that it made nothing: deleted, it is looked for again once that has ended',
      was: "if ((run.underWay?.type ?? run.ended) === 'create') absences.forget(objectKey(run.current.metadata));",
      becomes: '',
    },
    {
      against: 'a resource that is created again because one look did not find it',
      provenBy:
        'test/controllers/core/managed/absence.test.ts: deleted: a look that finds nothing is no proof, one that finds it again ends the doubt',
      was: 'const absentForMs = absences.note(run.current, observed.exists, begunMs);',
      becomes: 'const absentForMs = Number.POSITIVE_INFINITY;',
    },
    {
      against: 'details that were known and are not offered again',
      provenBy:
        'test/controllers/core/managed/absence.test.ts: it shows again: nothing was done, nothing is said',
      was: 'const known = await putOnRecord(context, run, informed(run, details));',
      becomes: 'const known = informed({ ...run, known: {} }, details);',
    },
    {
      against: 'a password lost because the look after the creation failed',
      provenBy:
        'test/controllers/core/managed/reconciler.test.ts: CreateExternal: the look after creation fails: what creation returned is published, and both are told',
      was: 'const published = await publish(context, called, undefined, ready);',
      becomes: 'const published = called;',
    },
    {
      against: 'a look at what an edit names in place of what was made',
      provenBy: 'test/controllers/core/managed/identity.test.ts: told, and everything else goes on',
      was: 'const looking = external.observe(identified(identity, run), run.known, signal);',
      becomes: 'const looking = external.observe(run.current, run.known, signal);',
    },
  ],
  'controllers/core/managed/follow-up.ts': [
    {
      against: 'the end of an update of something else taken for a renewal',
      provenBy: 'test/controllers/core/managed/renewals.test.ts: and something else of it is changed',
      was: "['former', 'open'].includes(standingOf(",
      becomes: '[].includes(standingOf(',
    },
    {
      against: 'an operation whose name is lost with a write of the status',
      provenBy:
        'test/controllers/core/managed/handed-over.test.ts: is known to the process though the status could not be written',
      was: 'underWay.note(run.current, operation);',
      becomes: '',
    },
    {
      against: 'credentials that are forgotten with the operation that brought them',
      provenBy:
        'test/controllers/core/managed/handed-over.test.ts: is put on record once it is done, with what it brought, in one run',
      was: 'const recorded = await recordEnd(context, at, type, decision.result);',
      becomes: 'const recorded = at;',
    },
  ],
  'controllers/core/managed/decide.ts': [
    {
      against: 'passwords that two processes set in turn, over and over',
      provenBy:
        'test/controllers/core/managed/contests.test.ts: who publishes second says that neither counts, and leaves the other one to set a new one',
      was: 'return isContested || (observed',
      becomes: 'return (observed',
    },
    {
      against: 'an update that is begun again twice a second, for its end shows nothing',
      provenBy:
        'test/controllers/core/managed/handed-over.test.ts: changes nothing that shows: a back-off grows',
      was: "if (ended === 'update') return { name: 'UpdateDone', act: 'awaitEffect' };",
      becomes: '',
    },
    {
      against: 'a deletion that is asked for again at once, for its end shows nothing',
      provenBy:
        'test/controllers/core/managed/handed-over.test.ts: is not deleted again at once where that has ended, and it still shows',
      was: `return ended === 'delete'
      ? { name: 'DeletionDone', act: 'awaitDeletion' }
      : { name: 'DeleteExternal', act: 'delete' };`,
      becomes: "return { name: 'DeleteExternal', act: 'delete' };",
    },
    {
      against: 'a deletion outside of what another of the name is about to take up',
      provenBy:
        'test/controllers/core/managed/decide.test.ts: another has its name and nobody has looked at that yet',
      was: "if (!hasFinalizer(heir, finalizerNames.managed)) return { name: 'AwaitSuccessor', act: 'wait' };",
      becomes: '',
    },
    {
      against: 'a deletion outside of what another of the name has taken up',
      provenBy: 'test/controllers/core/managed/decide.test.ts: another stands for the same',
      was: "return isTakenUp ? { name: 'StillManaged', act: 'forget' } : { name: 'FinishDeletion', act: 'delete' };",
      becomes: "return { name: 'FinishDeletion', act: 'delete' };",
    },
    {
      against: 'a second creation, or forgetting, of what is being created',
      provenBy:
        'test/controllers/core/managed/decide.test.ts: AwaitOperation: what an operation is about does not show yet, and is not made twice',
      was: "if (underWay !== undefined) return { name: 'AwaitOperation', act: 'awaitOperation' };",
      becomes: '',
    },
    {
      against: 'a second creation once the external system has forgotten the first',
      provenBy:
        'test/controllers/core/managed/handed-over.test.ts: one that the external system has forgotten, and that gave no name, waits for a human',
      was: 'if (isCreationIncomplete(managed)) {',
      becomes: 'if (false) {',
    },
    {
      against: 'the deletion of what is being created, which vendors refuse',
      provenBy:
        'test/controllers/core/managed/handed-over.test.ts: waits for its creation to end, and is deleted then',
      was: "if (underWay === 'create') return { name: 'AwaitCreation', act: 'awaitOperation' };",
      becomes: '',
    },
    {
      against: 'a second creation while nobody knows how the first ended',
      provenBy:
        'test/controllers/core/managed/decide.test.ts: CreationIncomplete: ExternalCreatePending waits for a human',
      was: 'if (!isAnswered && isCreationIncomplete(managed)) {',
      becomes: 'if (false) {',
    },
    {
      against: 'the deletion of what policies keep',
      provenBy:
        'test/controllers/core/managed/decide.test.ts: OrphanExternal: DeleteSuccessfulDeletionPolicyOrphan: no provider is needed to orphan',
      was: "if (!shouldDelete(managed.spec)) return { name: 'OrphanExternal', act: 'orphan' };",
      becomes: '',
    },
    {
      against: 'a second external resource in the system that the provider leads to by now',
      provenBy: 'test/controllers/core/managed/decide.test.ts: OtherSystem: it leads elsewhere',
      was: `if (before === undefined || system === undefined || before === system)
    return { name: 'Observe', act: 'observe' };`,
      becomes: "return { name: 'Observe', act: 'observe' };",
    },
    {
      against: 'absence that is believed after one look',
      provenBy:
        'test/controllers/core/managed/absence.test.ts: deleted: a look that finds nothing is no proof, one that finds it again ends the doubt',
      was: 'const isCertain = absentForMs >= confirmMs;',
      becomes: 'const isCertain = true;',
    },
    {
      against: 'a second creation, or forgetting, of what does not show yet',
      provenBy: 'test/controllers/core/managed/decide.test.ts: AwaitExternal: CreationGracePeriod',
      was: "if (mayBeHidden) return { name: 'AwaitExternal', act: 'awaitExistence' };",
      becomes: '',
    },
    {
      against: 'a second resource beside one that is there after all',
      provenBy:
        'test/controllers/core/managed/absence.test.ts: where the external system gives the names, it never is, until somebody takes the name away',
      was: 'return isNameKnown || externalName(managed) === undefined',
      becomes: 'return true',
    },
    {
      against: 'work on what is paused',
      provenBy: 'test/controllers/core/managed/decide.test.ts: Paused: ReconciliationPausedSuccessful',
      was: 'if (isPaused(managed)) {',
      becomes: 'if (false) {',
    },
    {
      against: 'work on what policies pause',
      provenBy:
        'test/controllers/core/managed/decide.test.ts: Paused: ManagementPolicyReconciliationPausedSuccessful',
      was: 'if (isPausedByPolicies(managed.spec)) {',
      becomes: 'if (false) {',
    },
    {
      against: 'a creation that policies do not allow',
      provenBy:
        'test/controllers/core/managed/decide.test.ts: CreateNotAllowed: {O,D} and absent: reported, not created',
      was: "if (!shouldCreate(spec)) return { name: 'CreateNotAllowed', act: 'reportUncreated' };",
      becomes: '',
    },
    {
      against: 'an update that policies do not allow',
      provenBy:
        'test/controllers/core/managed/decide.test.ts: UpdateNotAllowed: ObserveOnlySuccessfulObserve: drift is left alone',
      was: "if (!shouldUpdate(spec)) return { name: 'UpdateNotAllowed', act: 'reportUpToDate' };",
      becomes: '',
    },
    {
      against: 'fields that are filled in although policies do not allow it',
      provenBy: 'test/controllers/core/managed/decide.test.ts: UpToDate: {O}: to look is not to touch',
      was: 'observed.lateInitialized !== undefined && shouldLateInitialize(spec) &&',
      becomes: 'observed.lateInitialized !== undefined &&',
    },
  ],
  'controllers/core/managed/identity.ts': [
    {
      against: 'everything that an edit of the identity may lead to',
      provenBy: 'test/controllers/core/managed/identity.test.ts: told, and everything else goes on',
      was: 'return asRecorded(named(context, current), recorded, context.marks, isExact);',
      becomes: 'return named(context, current);',
    },
  ],
  'controllers/core/step-failure.ts': [
    {
      against: 'a failure that is told of what was only kept back, for the leadership was interrupted',
      provenBy:
        'test/controllers/core/managed/reconciler.test.ts: a creation that was not sent is recorded as failed, once the lease is renewed',
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
  'controllers/core/managed/creation-record.ts': [
    {
      against: 'a creation without a result, for the leadership was interrupted just then',
      provenBy:
        'test/controllers/core/managed/reconciler.test.ts: a creation that was not sent is recorded as failed, once the lease is renewed',
      was: 'if (!wasKept) attempt += 1;',
      becomes: 'attempt += 1;',
    },
    {
      against: 'an assigned name on the record of another resource, which has the name of the first by now',
      provenBy:
        'test/controllers/core/managed/overtaken.test.ts: is not given the name that the first one was assigned',
      was: 'if (current.metadata.uid !== object.metadata.uid) break;',
      becomes: '',
    },
    {
      against: 'a creation that is called failed and may have happened',
      provenBy:
        'test/controllers/core/managed/crash.test.ts: assigned names: it is not tried again, a human is asked',
      was: 'const known = identity.isAssigned && !isUncertain ? await recordFailure(context, run) : run;',
      becomes: 'const known = identity.isAssigned ? await recordFailure(context, run) : run;',
    },
    {
      against: 'an assigned name lost to a write of somebody else',
      provenBy:
        'test/controllers/core/managed/reconciler.test.ts: CreateExternal: an edit in between: the assigned name is laid over it, and nothing is lost',
      was: 'if (isConflict(error)) current = await refetched(managedResources, current, signal);',
      becomes: '',
    },
  ],
  'controllers/core/managed/reconciler.ts': [
    {
      against: 'a secret that whoever had its resource may copy, because the provider is not reached',
      provenBy:
        'test/controllers/core/managed/reconciler.test.ts: Connect: nor can whoever had it copy its secret any longer, with the provider or without',
      was: 'if (isLeft(resolved.current) && !wasDeleted(resolved.current) && !isEmpty(details)) {',
      becomes: 'if (false) {',
    },
    {
      against: 'the password in a former secret, which does not work any more',
      provenBy:
        'test/controllers/core/managed/revisions.test.ts: a secret that was left out when details changed is not believed',
      was: 'published.revision < newest ? nothingPublished : published;',
      becomes: 'published;',
    },
    {
      against: 'a deletion that waits for what it refers to',
      provenBy:
        'test/controllers/core/managed/reconciler.test.ts: Connect: references are not resolved while deleting',
      was: 'const resolving = wasDeleted(found.current) ? undefined : resolveReferences?.(found.current, signal);',
      becomes: 'const resolving = resolveReferences?.(found.current, signal);',
    },
  ],
  'controllers/core/claim-binding/reconciler.ts': [
    {
      against: 'what is made for a claim that has gone with what it had, by a process whose watch is silent',
      provenBy:
        'test/controllers/core/claim-binding/orphans.test.ts: what was recorded is not made for a claim that has gone since, which a store still has',
      was: 'if (stored?.metadata.uid !== metadata.uid) return quiet();',
      becomes: '',
    },
    {
      against: 'another resource for a claim that was Bound, by a process whose watch is late',
      provenBy:
        'test/controllers/core/claim-binding/orphans.test.ts: nor for one that was bound meanwhile, as the store does not show, to what has gone since',
      was: 'return isSame ? create(claim, resourceClass, signal) : { result: after(0) };',
      becomes: 'return create(claim, resourceClass, signal);',
    },
    {
      against: 'a claim that is bound by labels that its namespace has not any more',
      provenBy:
        'test/controllers/core/claim-binding/namespaces.test.ts: the moment of binding decides: a label that is taken away until then is no label',
      was: "if (decision.act !== 'bind' || !restrictsNamespaces(decision.managed)) return decision;",
      becomes: 'if (decision !== undefined) return decision;',
    },
    {
      against: 'a creation whose answer was lost, told as a failure',
      provenBy:
        'test/controllers/core/claim-binding/crash.test.ts: AlreadyExists: what the same claim created meanwhile is adopted, without a word',
      was: 'if (!isAlreadyExists(error)) throw error;',
      becomes: 'throw error;',
    },
    {
      against: 'a claim that loses its resource because a cache is behind',
      provenBy:
        'test/controllers/core/claim-binding/reconciler.test.ts: GetManagedError: Synced says so, Ready stays, it is tried again',
      was: "return failing('cannot get managed resource', managedResources.find({ name }, signal), cannotRead);",
      becomes: 'return managedResources.get({ name });',
    },
    {
      against: 'a resource made for a claim that does not say so, nor waits for it',
      provenBy: 'test/controllers/core/claim-binding/crash.test.ts: at most 8 for a claim with a class',
      was: 'return create(await record(claim, signal), decision.resourceClass, signal);',
      becomes:
        "return create(withRecordedResource(service, claim, provisionedNames(claim)[0] ?? ''), decision.resourceClass, signal);",
    },
    {
      against: 'a bound claim that is told of a secret that goes with its resource',
      provenBy:
        'test/controllers/core/claim-binding/requests.test.ts: a resource on its way out hands nothing over any more',
      was: 'const happened = isGoing ? [] : await propagate(updated, healed, signal);',
      becomes: 'const happened = await propagate(updated, healed, signal);',
    },
    {
      against: 'a claim that says Bound before it has its secret',
      provenBy: 'test/controllers/core/claim-binding/crash.test.ts: at most 8 for a claim with a class',
      was: 'const happened = await propagate(updated, referring, signal, handingOver);',
      becomes: 'const happened: Happened = [];',
    },
  ],
  'controllers/core/claim-binding/bind.ts': [
    {
      against: 'a resource made by hand that is reclaimed although its claim was never Bound',
      provenBy:
        'test/controllers/core/claim-binding/edited-claims.test.ts: a claim that took a resource by name: what was asked for',
      was: 'metadata: { ...managed.metadata, annotations: before === undefined ? taken : annotations },',
      becomes: 'metadata: { ...managed.metadata, annotations },',
    },
    {
      against: 'a resource that nobody lets go of when its claim vanishes',
      provenBy:
        'test/controllers/core/claim-binding/orphans.test.ts: Delete: the resource goes, and its secrets',
      was: "status: { ...managed.status, bindingPhase: 'Bound', boundUID, boundClaimUID }",
      becomes: "status: { ...managed.status, bindingPhase: 'Bound' }",
    },
    {
      against: 'a bound claim that goes without letting go',
      provenBy: 'test/controllers/core/claim-binding/orphans.test.ts: a resource made by hand is free again',
      was: 'finalizers: withFinalizer(claim, finalizerNames.claim),',
      becomes: 'finalizers: claim.metadata.finalizers ?? [],',
    },
  ],
  'controllers/core/claim-binding/provision.ts': [
    {
      against: 'a claim that goes while its resource is made',
      provenBy: 'test/controllers/core/claim-binding/crash.test.ts: at most 8 for a claim with a class',
      was: 'finalizers: withFinalizer(claim, finalizerNames.claim),',
      becomes: 'finalizers: claim.metadata.finalizers ?? [],',
    },
    {
      against: 'a resource that passes to the next claim of that name',
      provenBy: 'test/controllers/core/claim-binding/crash.test.ts: at most 8 for a claim with a class',
      was: 'claimRef: referenceTo(claim),',
      becomes: 'claimRef: { ...referenceTo(claim), uid: undefined },',
    },
  ],
  'controllers/core/claim/provisioned-name.ts': [
    {
      against: "a claim that takes the former's resource of its name for its own",
      provenBy:
        'test/controllers/core/claim-binding/decide.test.ts: the same for the same claim, and another for a claim of the same name in another namespace or life',
      was: `hash('sha256', \`\${uid}/\${attempt}\``,
      becomes: `hash('sha256', \`\${namespace}/\${attempt}\``,
    },
  ],
  'controllers/core/claim/claim-status.ts': [
    {
      against: 'a claim that was bound given a new and empty resource',
      provenBy:
        'test/controllers/core/claim-binding/edited-claims.test.ts: its resource is taken from it, and then goes',
      was: "const bindingPhase = told === 'Unbound' && wasBound(claim) ? 'Released' : told;",
      becomes: 'const bindingPhase = told;',
    },
  ],
  'controllers/core/claim-binding/decide.ts': [
    {
      against: 'a resource that is given to a claim whose namespace may not have it',
      provenBy:
        'test/controllers/core/claim-binding/decide.test.ts: ResourceForbidden: before who has it is told',
      was: 'const forbidden = hasConsent ? undefined : whyNotFor(namespace, managed);',
      becomes: 'const forbidden = undefined as string | undefined;',
    },
    {
      against: 'what is only looked at, given to who knows its name',
      provenBy:
        'test/controllers/core/claim-binding/decide.test.ts: NotOffered: what is only observed is for nobody who is not named',
      was: 'if (!isOffered(managed) && !hasConsent) {',
      becomes: 'if (false) {',
    },
    {
      against: 'a resource made for a claim whose finalizer somebody took away',
      provenBy:
        'test/controllers/core/claim-binding/decide.test.ts: RecordName: somebody took the finalizer away after the name was recorded: it is recorded again first',
      was: 'const isOnRecord = hasFinalizer(claim, finalizerNames.claim);',
      becomes: 'const isOnRecord = true;',
    },
    {
      against: 'a claim that goes while its resource is made, as somebody took its finalizer away',
      provenBy:
        'test/controllers/core/claim-binding/edited-claims.test.ts: while its resource is being made: what it has goes with it all the same',
      was: 'const isLoose = held !== undefined && !hasFinalizer(claim, finalizerNames.claim);',
      becomes: 'const isLoose = false;',
    },
    {
      against: 'a claim that takes what another has',
      provenBy:
        'test/controllers/core/claim-binding/decide.test.ts: ClaimedByOther: a resource bound to another claim is not bindable, and the claim is not Ready',
      was: 'if (claimRef !== undefined && !isItsOwn) {',
      becomes: 'if (false) {',
    },
    {
      against: 'a resource whose password another claim knows, from which somebody removed its name',
      provenBy:
        'test/controllers/core/claim-binding/decide.test.ts: Released: a resource that was taken away from another claim may be known to that',
      was: 'if (wasTakenAway(managed) && !isStillIts) {',
      becomes: 'if (false) {',
    },
    {
      against:
        'a living claim that loses what it has to another by a claimRef that somebody took away, and an offer',
      provenBy:
        'test/controllers/core/claim-binding/orphans.test.ts: what is on record for a claim that is there is nobody else’s',
      was: 'if (rightful !== undefined && !refersToClaim(managed, rightful)) {',
      becomes: 'if (false) {',
    },
    {
      against: "the reclaiming of what a living claim has, with another's claim that its claimRef names",
      provenBy:
        'test/controllers/core/claim-binding/decide.test.ts: ResourceGone: who goes leaves alone what is on record for another that is there, though it names him',
      was: 'const its = input.rightful === undefined ? managed : undefined;',
      becomes: 'const its = managed;',
    },
    {
      against: "a former tenant's password handed to the claim that an offer is for",
      provenBy:
        'test/controllers/core/claim-binding/decide.test.ts: CredentialNotApplied: so does one that came out of a backup without its status',
      was: 'if (isOnOffer) {',
      becomes: 'if (false) {',
    },
    {
      against: 'a claim bound to what is not ready',
      provenBy:
        'test/controllers/core/claim-binding/decide.test.ts: Provisioning: ManagedIsInUnknownBindingPhase',
      was: "if (phase === 'Unbound') return { name: 'Bind', act: 'bind', managed };",
      becomes: "if (phase !== 'Released') return { name: 'Bind', act: 'bind', managed };",
    },
    {
      against: "a stranger's data handed to the next claim",
      provenBy:
        'test/controllers/core/claim-binding/decide.test.ts: Released: a resource that was released and still names this claim is not bound again',
      was: "if (phase === 'Released') return unoffered('was released by a former claim');",
      becomes: "if (phase === 'Released') return { name: 'Bind', act: 'bind', managed };",
    },
  ],
  'controllers/core/claim-marks.ts': [
    {
      against: 'a former tenant’s data in the hands of whoever waits, once an offer to another is withdrawn',
      provenBy:
        'test/controllers/core/claim-binding/reoffer.test.ts: and given back by who was never bound to it is nobody’s, either',
      was: 'const isWithdrawn = offeredTo !== undefined && (claimRef === undefined || offeredTo !== textOf(claimRef));',
      becomes: 'const isWithdrawn = false;',
    },
  ],
  'controllers/core/claim-binding/decide-deleted.ts': [
    {
      against: 'a claim that reclaims although it never held on',
      provenBy:
        'test/controllers/core/claim-binding/decide-deleted.test.ts: FinalizerRemoved: SuccessfulDelete: without our finalizer there is nothing left to do',
      was: "if (!hasFinalizer(claim, finalizerNames.claim)) return { name: 'FinalizerRemoved', act: 'nothing' };",
      becomes: '',
    },
    {
      against: "a claim that takes another's resource with it",
      provenBy:
        "test/controllers/core/claim-binding/decide-deleted.test.ts: NotOwned: a deleted claim never touches another claim's resource",
      was: 'if (!refersToClaim(managed, claim) || managed.spec.claimRef?.uid === undefined) {',
      becomes: 'if (false) {',
    },
    {
      against: 'a claim that takes the resource of a former claim of its name with it',
      provenBy:
        'test/controllers/core/claim-binding/decide-deleted.test.ts: OwnedByFormerClaim: nor that of a former claim of the same name',
      was: "if (isSomeoneElses(managed, claim)) return { name: 'OwnedByFormerClaim', act: 'finalise' };",
      becomes: '',
    },
    {
      against: 'a resource left behind by a claim that was never Bound',
      provenBy:
        'test/controllers/core/claim-binding/decide-deleted.test.ts: ReclaimProvisioned: what the claim made goes with it, though it was never Bound',
      was: `if (wasProvisionedForClaim(managed))
    return { name: 'ReclaimProvisioned', act: 'release', managed, reclaim };`,
      becomes: '',
    },
    {
      against: 'a resource that was handed over and is offered to others',
      provenBy:
        'test/controllers/core/claim-binding/decide-deleted.test.ts: Release: it was handed over and not yet Bound: the password is known',
      was: 'return isUnused && holdsClaim(managed, claim) && isReserved(managed)',
      becomes: 'return holdsClaim(managed, claim) && isReserved(managed)',
    },
    {
      against: 'a resource made by hand that a claim took and never used, lost to others',
      provenBy:
        'test/controllers/core/claim-binding/decide-deleted.test.ts: RemoveClaimRef: what was made by hand and never Bound goes back as it was',
      was: `return isUnused && holdsClaim(managed, claim) && isReserved(managed)
`,
      becomes: `return false
`,
    },
  ],
  'controllers/core/claim-binding/decide-orphan.ts': [
    {
      against: 'the reclaiming of what a living claim has',
      provenBy: 'test/controllers/core/claim-binding/decide-orphan.test.ts: HasClaim: its claim lives',
      was: `if (claim?.metadata.uid === claimRef.uid) return { name: 'HasClaim', act: 'nothing' };
  if (claim !== undefined && namesManaged(service, claim, managed) && !isOnlyReserved)
    return { name: 'NamedByClaim', act: 'nothing' };`,
      becomes: '',
    },
    {
      against: 'writes to what goes already',
      provenBy:
        'test/controllers/core/claim-binding/crash.test.ts: a crash at any point of deletion leaves nothing behind',
      was: "if (!isOurs || wasDeleted(managed)) return { name: 'NotClaimed', act: 'nothing' };",
      becomes: "if (!isOurs) return { name: 'NotClaimed', act: 'nothing' };",
    },
  ],
  'controllers/core/claim-binding/claim-reference.ts': [
    {
      against: 'what a claim leaves, that was restored with it and whose claimRef somebody edited since',
      provenBy:
        'test/controllers/core/claim-binding/claim-reference.test.ts: if it names its UID, as after a restore',
      was: 'managed.spec.claimRef?.uid === claim.metadata.uid ||',
      becomes: '',
    },
  ],
  'controllers/core/claim-binding/orphan-release.ts': [
    {
      against: 'the reclaiming of what a claim has that a cache does not know yet',
      provenBy:
        'test/controllers/core/claim-binding/orphans.test.ts: neither a proxy page nor a refusal proves it: it is asked again until the API server says so',
      was: "const claim = await annotate('cannot get resource claim', claims.fetch(key, signal));",
      becomes: 'const claim = seen;',
    },
    {
      against: 'the reclaiming of what a living claim has, by a slip in its claimRef',
      provenBy:
        'test/controllers/core/claim-binding/orphans.test.ts: a claimRef is edited while its claim lives',
      was: "const isIdle = decision.act === 'nothing' || decision.name === 'NotBoundHere';",
      becomes: 'const isIdle = true;',
    },
  ],
  'controllers/core/claim/holdings.ts': [
    {
      against: "what a living claim has in another's hands, whom its claimRef names by a slip",
      provenBy:
        'test/controllers/core/claim/holdings.test.ts: a claim does not have what was made for another that is there, or bound to another, though it names it',
      was: '.filter((one) => claims === undefined || rightfulOther(claims, one, claim) === undefined);',
      becomes: ';',
    },
    {
      against:
        'what was bound to a claim that has gone in the hands of one that its claimRef names by a slip',
      provenBy:
        'test/controllers/core/claim-binding/decide.test.ts: Released: nor is one bound that names it by now, and was bound to another that has gone',
      was: 'if (!isOtherUid && wasBoundToAnother(managed, claim)) return !knewAnotherUid(managed, claim);',
      becomes: '',
    },
    {
      against: 'a claim that holds what a former one of its name had',
      provenBy:
        'test/controllers/core/claim/holdings.test.ts: a claim has the resource that names it; of several, the one that it names itself',
      was: 'managed.spec.claimRef?.uid === claim.metadata.uid && refersToClaim(managed, claim);',
      becomes: 'refersToClaim(managed, claim);',
    },
    {
      against: 'a claim bound to what a former one of its name had',
      provenBy:
        'test/controllers/core/claim-binding/decide-deleted.test.ts: OwnedByFormerClaim: nor that of a former claim of the same name',
      was: "return isOtherUid && isTaken && claim.status?.bindingPhase !== 'Bound';",
      becomes: 'return false;',
    },
    {
      against: 'a claim bound to what a former one of its name has reserved, whether or not it fits',
      provenBy:
        'test/controllers/core/claim-binding/decide.test.ts: ClaimedByFormerClaim: nor one that a former claim has reserved, and was not let go of yet',
      was: 'const isTaken = wasBound || isReserved(managed);',
      becomes: 'const isTaken = wasBound;',
    },
  ],
  'controllers/core/claim-binding/release.ts': [
    {
      against: 'a secret that goes on to be given to who let go of it',
      provenBy:
        'test/controllers/core/claim-binding/orphans.test.ts: a proxy page in the middle of a deletion delays it, whatever call it answers',
      was: "await failing('cannot update connection secret', withdrawn, cannotUnbind);",
      becomes: '',
    },
    {
      against: 'a mark of a hand-over that goes before the resource is let go of',
      provenBy:
        'test/controllers/core/claim-binding/unbound.test.ts: the password is known, wherever its release is cut off',
      was: "const isUnused = parting.act === 'free';",
      becomes: 'const isUnused = true;',
    },
    {
      against: "a claim's secret that outlives it where nobody collects garbage",
      provenBy:
        'test/controllers/core/claim-binding/edited-claims.test.ts: the claim is deleted, and what it has goes with it',
      was: `await deleteSecrets(secrets, claim.metadata, facts, signal);
`,
      becomes: '',
    },
    {
      against: 'a resource that is released and still names its claim',
      provenBy:
        'test/controllers/core/claim-binding/orphans.test.ts: Retain: it is Released, and the Event says why',
      was: 'const freed = unlessGone(managedResources.update(kept, left, signal));',
      becomes: 'const freed = Promise.resolve();',
    },
  ],
  'controllers/core/claim-binding/handed-to.ts': [
    {
      against:
        'a password that is known given to the next claim, by who has not seen the mark of its hand-over',
      provenBy:
        'test/controllers/core/claim-binding/unbound.test.ts: so it is where the store does not hold the source, which has another type',
      was: 'const source = await records.secrets.fetch(key, signal);',
      becomes: 'const source = records.secrets.get(key);',
    },
  ],
  'controllers/core/claim-binding/propagate.ts': [
    {
      against: 'a password that is known given to the next claim, once its copy is deleted while nobody runs',
      provenBy:
        'test/controllers/core/claim-binding/unbound.test.ts: the password is known, wherever its release is cut off',
      was: '...(isAllowed ? {} : allowsPropagationTo(target)), ...mark },',
      becomes: '...(isAllowed ? {} : allowsPropagationTo(target)) },',
    },
    {
      against: 'a secret that a claim does not name any more',
      provenBy:
        'test/controllers/core/claim-binding/reconciler.test.ts: a claim that names another secret, or none, leaves none behind',
      was: 'for (const secret of stale) await secrets.delete(secret, signal);',
      becomes: '',
    },
    {
      against: "somebody else's secret handed to a claim",
      provenBy:
        'test/controllers/core/claim-binding/reconciler.test.ts: ManagedResourceDoesNotControlSecret: nothing is copied',
      was: 'if (!isControlledBy(source, managed)) {',
      becomes: 'if (false) {',
    },
    {
      against: 'a secret that exists and is not taken',
      provenBy:
        'test/controllers/core/claim-binding/reconciler.test.ts: ClaimSecretUncontrolledError: an Opaque secret is never taken over',
      was: 'if (!isAlreadyExists(error)) throw error; // else one',
      becomes: 'throw error; // else one',
    },
  ],
  'controllers/core/claim/propagated-secret.ts': [
    {
      against: "somebody else's secret overwritten for a claim",
      provenBy:
        "test/controllers/core/claim-binding/reconciler.test.ts: ClaimSecretConflictError: somebody else's secret is left alone",
      was: "typeof control === 'object' ? control.refusal : whyNotTaken(target, source);",
      becomes: 'whyNotTaken(target, source);',
    },
    {
      against: 'a copy of what another claim had wiped, which a backup brought back without its owner',
      provenBy:
        'test/controllers/core/claim-binding/reconciler.test.ts: one that nobody controls, and that is a copy of what another claim had',
      was: 'const isCopyOfIt = isEqual(propagationSource(target), secretKeyOf(source));',
      becomes: 'const isCopyOfIt = propagationSource(target) !== undefined;',
    },
    {
      against: 'what somebody made by hand wiped, and deleted with the claim that names it',
      provenBy:
        'test/controllers/core/claim-binding/reconciler.test.ts: one that nobody controls, and that holds what its source does not, is left alone',
      was: 'if (isOurs || isMatch(source.data ?? {}, target.data ?? {})) return undefined;',
      becomes: 'if (target !== undefined) return undefined;',
    },
  ],
  'controllers/core/secret-propagation/decide.ts': [
    {
      against: 'a secret given to who was not named',
      provenBy:
        'test/controllers/core/secret-propagation/decide.test.ts: NoConsent: PropagationNotAllowedError: the source must consent',
      was: 'if (!consents) {',
      becomes: 'if (false) {',
    },
    {
      against: 'a secret taken from who does not own it',
      provenBy:
        'test/controllers/core/secret-propagation/decide.test.ts: SourceNotControlled: a source that a former managed resource of that name controlled',
      was: 'if (managed === undefined || !isControlledBy(source, managed)) {',
      becomes: 'if (managed === undefined) {',
    },
    {
      against: 'a secret written that belongs to somebody else',
      provenBy:
        "test/controllers/core/secret-propagation/decide.test.ts: TargetNotControlled: a target that is another claim's",
      was: "if (claim === undefined || typeof controlOf(target, claim) === 'object') {",
      becomes: 'if (claim === undefined) {',
    },
    {
      against: 'a secret given to a claim that is not bound',
      provenBy:
        'test/controllers/core/secret-propagation/decide.test.ts: NotBound: a claim that names another resource is not the former claim of its name',
      was: 'if (!areBound(managed, claim)) {',
      becomes: 'if (false) {',
    },
  ],
  'controllers/core/claim-binding/setup.ts': [
    {
      against: 'what names a former claim with the UID of one that goes, left until the process begins anew',
      provenBy:
        'test/controllers/core/claim-binding/setup.test.ts: a claim that is not there, and that a resource names with the UID of one that goes now',
      was: '...managedWithClaimUid(managedResources.store, claim.metadata.uid).flatMap(lostClaimOf),',
      becomes: '',
    },
    {
      against: 'leave to copy a secret that is published to no more, given late and left',
      provenBy:
        'test/controllers/core/claim-binding/setup.test.ts: the claim that has a copy of what its resource publishes to no more, and that is given leave late',
      was: ', ...claimsOfFormerSource(secret)]',
      becomes: ']',
    },
    {
      against: 'claims of others, woken by a secret that somebody made',
      provenBy:
        'test/controllers/core/claim-binding/setup.test.ts: not a claim for which anybody gives leave, in a namespace that it has no copy of',
      was: 'propagationSource(copy)?.namespace === secret.metadata.namespace;',
      becomes: 'propagationSource(copy) !== undefined;',
    },
  ],
  'controllers/core/claim-binding/unanswered-creations.ts': [
    {
      against: 'a resource for nobody, made by a creation that was given up',
      provenBy:
        'test/controllers/core/claim-binding/orphans.test.ts: a resource that comes of a creation that was given up, when its claim is gone',
      was: "return creations.get(claimRef?.uid ?? '')?.isLetGo === true;",
      becomes: 'return false;',
    },
    {
      against: 'the deletion of what a backup brings, for a creation of long ago',
      provenBy:
        'test/controllers/core/claim-binding/orphans.test.ts: a resource that comes of a creation that was given up, when its claim is gone',
      was: 'if (untilMs <= nowMs) creations.delete(uid);',
      becomes: '',
    },
  ],
  'controllers/core/connection/connection-publisher.ts': [
    {
      against:
        'two processes that renew a lost password at a time, of which the cloud has been told one last',
      provenBy:
        'test/controllers/core/connection/publisher.test.ts: where two replace what is lost at a time, the second disowns what the first has published',
      was: 'if (givesWay && !isRevisedSince(annotations, revision)) return [];',
      becomes: 'if (givesWay) return [];',
    },
    {
      against: "connection details in somebody else's secret",
      provenBy: 'test/controllers/core/connection/publisher.test.ts: is neither read, written nor removed',
      was: "if (typeof control === 'object') throw refusalOf(control, secret, managed);",
      becomes: '',
    },
    {
      against: 'connection details lost to a write of somebody else',
      provenBy:
        'test/controllers/core/connection/publisher.test.ts: consent comes with a new secret; a pass that read it earlier brings none back that was withdrawn',
      was: 'if (!isOutdated || isLast) throw error;',
      becomes: 'throw error;',
    },
    {
      against: 'a secret that keeps a password which its store entry has another of',
      provenBy:
        'test/controllers/core/managed/renewals.test.ts: where two places hold different credentials, new ones are set, once, and both have them',
      was: 'details: omit(details, disputed),\n        revision,\n        givesWay: disputed.length > 0,',
      becomes: 'details,\n        revision,',
    },
    {
      against: 'a former password, because one of two places was not reached when it changed',
      provenBy: 'test/controllers/core/connection/publisher.test.ts: the publisher chain',
      was: 'all.filter((each) => each.revision === revision)',
      becomes: 'all',
    },
    {
      against: "the deletion of somebody else's secret",
      provenBy: "test/controllers/core/connection/publisher.test.ts: the reference leads to somebody else's",
      was: 'if (!isControlledBy(secret, managed)) continue;',
      becomes: '',
    },
    {
      against:
        'credentials renewed without end, because a run takes what it has published itself for another’s',
      provenBy:
        'test/controllers/core/connection/publisher.test.ts: what a run has published is not another’s when it publishes something else after it',
      was: ' || is === ours[key]',
      becomes: '',
    },
    {
      against: 'a key that somebody edited, taken for what was published',
      provenBy: 'test/controllers/core/connection/publisher.test.ts: one is kept',
      was: 'return wasReady && isAnother ? {} : withoutEdited(decodeDetails(secret), annotations);',
      becomes: 'return decodeDetails(secret);',
    },
  ],
  'controllers/core/connection/published-details.ts': [
    {
      against: 'an edited password, taken for what was published once the word of it was taken away',
      provenBy:
        'test/controllers/core/connection/publisher.test.ts: a detail of which somebody took away the word, where there is a revision, counts as lost',
      was: 'const isCounted = revisionIn(annotations) > 0;',
      becomes: 'const isCounted = false;',
    },
    {
      against: 'a password renewed for want of a word that nobody had given',
      provenBy:
        'test/controllers/core/connection/publisher.test.ts: from the first revision on there is word of all that is published, also of what was there',
      was: 'revision > 0 && !Object.hasOwn(former, key)',
      becomes: 'false',
    },
    {
      against: 'a password that another process has disowned, brought back by whoever had published it',
      provenBy:
        'test/controllers/core/connection/publisher.test.ts: what was disowned while a run was at it is not brought back by that run',
      was: 'isDisownedSince ? {} : wanted,',
      becomes: 'wanted,',
    },
    {
      against: 'another revision at each look, of what turned out right where it lies',
      provenBy:
        'test/controllers/core/connection/publisher.test.ts: the one that is told again is right, also where it is there already: that is written once',
      was: '{ ...believed, ...news }',
      becomes: '{ ...news }',
    },
    {
      against: 'a detail that comes back from a place where it could not be removed',
      provenBy:
        'test/controllers/core/connection/removed-details.test.ts: goes from all of them though the process ends between two writes, and though it is said but once',
      was: 'const isSame = isKnown && removals(details, before).length === 0;',
      becomes: 'const isSame = isKnown;',
    },
    {
      against: "the removal of what somebody put in a removed detail's place",
      provenBy:
        "test/controllers/core/connection/removed-details.test.ts: somebody's own keys stay, also one of that name that he puts there afterwards",
      was: 'Object.hasOwn(data, key) && former[key] !== null',
      becomes: 'Object.hasOwn(data, key)',
    },
    {
      against: 'a password believed in one place of which another says that nobody can tell',
      provenBy:
        'test/controllers/core/connection/publisher.test.ts: what is disowned in one place counts in none',
      was: '[publishedRevision]: String(nextRevision(revisionIn(annotations))),',
      becomes: '',
    },
    {
      against: 'a password that two processes have set, and one has taken with it',
      provenBy:
        'test/controllers/core/connection/publisher.test.ts: what is published counts as lost, for every process',
      was: "const lost = Object.fromEntries(keys.map((key) => [key, '']));",
      becomes: 'const lost = {};',
    },
    {
      against: 'a new password overwritten with the old one',
      provenBy: 'test/controllers/core/connection/publisher.test.ts: one is kept',
      was: 'return data[key] === value || isKept;',
      becomes: 'return data[key] === value;',
    },
    {
      against: 'a lost password that is believed once something else is published beside it',
      provenBy:
        'test/controllers/core/managed/revisions.test.ts: where its resource was made anew while it was published nowhere',
      was: 'const lost = isOld\n    ?',
      becomes: 'const lost = false\n    ?',
    },
  ],
  'controllers/core/connection/store-publisher.ts': [
    {
      against: 'an entry of a store overwritten that belongs to somebody else',
      provenBy: 'test/controllers/core/connection/stores.test.ts: is neither read, written nor removed',
      was: 'if (stored !== undefined && !isFor(managed, stored)) throw refusal(store, managed, to, stored);',
      becomes: '',
    },
    {
      against: 'an entry of a store removed that belongs to somebody else',
      provenBy: 'test/controllers/core/connection/stores.test.ts: is neither read, written nor removed',
      was: 'if (stored !== undefined && stored.ownerUid === metadata.uid)',
      becomes: 'if (stored !== undefined)',
    },
  ],
  'controllers/core/connection/vault-store.ts': [
    {
      against: 'a detail in Vault that is said to have been removed, and was not',
      provenBy:
        'test/controllers/core/connection/removed-details.test.ts: goes from all of them though the process ends between two writes, and though it is said but once',
      was: 'if (there !== undefined && !isEqual(there, left)) {',
      becomes: 'if (false) {',
    },
    {
      against: 'an entry of Vault whose owner nobody knows after a crash',
      provenBy:
        'test/controllers/core/connection/stores.test.ts: Vault: of two that publish at one path for the first time, one does, with its own details',
      was: 'if (before === undefined) await take(path, desired.ownerUid, 0, signal);',
      becomes: '',
    },
    {
      against: "the removal of an entry that has become somebody else's",
      provenBy:
        'test/controllers/core/connection/stores.test.ts: Vault: what changes between the look and the removal stays',
      was: 'await take(path, ownerUid, secret.version, signal);',
      becomes: '',
    },
  ],
  'controllers/core/claim-scheduling/decide.ts': [
    {
      against: 'a class chosen again for a claim that has one',
      provenBy:
        'test/controllers/core/claim-scheduling/decide.test.ts: HasClass: ClaimHasClassRef: a peer won',
      was: `if (isHolding) return { name: 'HasResource', act: 'nothing' }; // binding restores its references
  if (claim.spec.classRef !== undefined) return { name: 'HasClass', act: 'nothing' };`,
      becomes: "if (isHolding) return { name: 'HasResource', act: 'nothing' };",
    },
    {
      against: 'a second class for a claim that has a resource',
      provenBy:
        'test/controllers/core/claim-scheduling/decide.test.ts: HasResource: a claim whose references were edited away is not scheduled again',
      was: "if (isHolding) return { name: 'HasResource', act: 'nothing' };",
      becomes: '',
    },
    {
      against: 'two schedulers that both write',
      provenBy:
        'test/controllers/core/claim-scheduling/decide.test.ts: PeerAssigns: the drawn class of another kind is left to its own controller',
      was: "if (!isOfKind(chosen, kind)) return { name: 'PeerAssigns', act: 'nothing' };",
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
      provenBy: 'test/runtime/cache/resource.test.ts: what a write returned is in the store at once',
      was: `    store.record(object);
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
      was: 'if (compareResourceVersions(version, position) > 0 && isSelected(object)) put(key, object);',
      becomes: 'if (isSelected(object)) put(key, object);',
    },
    {
      against: 'an event told late that brings back what went with its last finalizer',
      provenBy:
        'test/runtime/cache/store.test.ts: what went with its last finalizer has gone at once, and late events bring nothing back',
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
      provenBy: 'test/runtime/cache/store.test.ts: what was written after the list was taken survives it',
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
        'test/runtime/cache/watch.test.ts: one that is restored from a backup meanwhile, and has given out our versions again by then, is listed',
      was: 'return isInDoubt ? resumed$ : watch$;',
      becomes: 'return watch$;',
    },
    {
      against: 'a watch that asks for what the API server has forgotten, for ever',
      provenBy: 'test/runtime/cache/watch.test.ts: lists again, and what vanished meanwhile is deleted',
      was: 'if (isExpired(error) || code === 404 || isUnreadable) {',
      becomes: 'if (code === 404 || isUnreadable) {',
    },
    {
      against: 'a watch that is open, silent and believed',
      provenBy:
        'test/runtime/cache/watch.test.ts: is replaced when it has kept something back, which a list brings',
      was: 'takeUntil(merge(overdue$, disbelief$)),',
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
  'controllers/author/whose-is.ts': [
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
      against: 'Ready without a password, while the cloud is at something else',
      provenBy:
        'test/controllers/author/named-by-us.test.ts: is not ready while the cloud is at something else with it either, which it can be used meanwhile',
      was: "...((isOnline || meaning.ready?.status === 'True') &&",
      becomes: '...(isOnline &&',
    },
    {
      against: 'a password that changes although it was published',
      provenBy:
        'test/controllers/fcp/favourite-db-instance.test.ts: an instance that was deleted by somebody else comes back with the password applications hold',
      was: 'const password = known.password ?? generatePassword();',
      becomes: 'const password = generatePassword();',
    },
    {
      against: 'a password that is lost with the answer of the creation',
      provenBy:
        'test/controllers/fcp/favourite-db-instance.test.ts: a lost answer is an error, the next attempt finds one instance and resets its password',
      was: 'needed: passwordNeed(managed, known),',
      becomes: 'needed: undefined,',
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
      provenBy: "test/controllers/fcp/network.test.ts: somebody else's network is not deleted",
      was: "if (network !== undefined && claim(managed, network) === 'ours') {",
      becomes: 'if (network !== undefined) {',
    },
  ],
  'controllers/postgresql/password-checks.ts': [
    {
      against: 'a password out of a backup that is older than it',
      provenBy:
        'test/controllers/postgresql/decisions.test.ts: at once after a restart too, unless its owner is said to work',
      was: 'if (before === undefined && isSaidToWork) {',
      becomes: 'if (before === undefined) {',
    },
    {
      against: 'a former password believed that may have been replaced',
      provenBy:
        'test/controllers/postgresql/role-password.test.ts: one that may have been replaced is tried, if it is published again, and it was',
      was: "doubted: (ownerId) => record(ownerId, { digest: '', isWrong: false }, 0),",
      becomes: 'doubted: () => {},',
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
      was: 'await dropUnfinished(session, unfinished); // made by us before a crash, perhaps to another spec',
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
      provenBy: "test/controllers/postgresql/leftovers.test.ts: somebody else's database stays",
      was: 'if (database === undefined || isOurs(managed, database)) {',
      becomes: 'if (true) {',
    },
  ],
  'controllers/core/managed/status.ts': [
    {
      against: 'an offer that ends with an update which changes its credentials once more',
      provenBy:
        'test/controllers/core/managed/renewals.test.ts: an update that it still needs does not end the offer, nor what is on record',
      was: 'const bindingPhase = facts.isStillOffered',
      becomes: 'const bindingPhase = false',
    },
  ],
  'controllers/core/managed/told-credentials.ts': [
    {
      against:
        'what a claim was told just before it went, handed on because the process died before its status said so',
      provenBy:
        'test/controllers/core/managed/renewals.test.ts: what is told just before the claim goes is on record first, if the process is killed then',
      was: 'return isEqual(told, record) ? undefined : encoded(told);',
      becomes: 'return undefined;',
    },
    {
      against: 'a record that says what nobody was told, in place of what was',
      provenBy:
        'test/controllers/core/managed/renewals.test.ts: what was set and could not be published is on record beside what was, and the next process leaves it there',
      was: 'return encoded(withNews(told, digestsOf(current, known)));',
      becomes: 'return encoded({ ...told, ...digestsOf(current, known) });',
    },
    {
      against: 'an offer that is taken up without credentials, as there are none since it was bound',
      provenBy:
        'test/controllers/core/managed/renewals.test.ts: what has none since it was bound lets its former claim in, and waits',
      was: 'current.spec.claimRef ? formerly : omit(formerly, absent)',
      becomes: 'omit(formerly, absent)',
    },
    {
      against: 'a record that somebody else wrote, taken for that of a claim that was told nothing',
      provenBy:
        'test/controllers/core/managed/renewals.test.ts: a record that nobody of ours has written counts for nothing',
      was: 'const isOurs = isPlainObject(record) &&',
      becomes: 'const isOurs = isPlainObject(record) ||',
    },
    {
      against: 'what a former claim was told forgotten for what its secret holds by now',
      provenBy:
        'test/controllers/core/managed/renewals.test.ts: others that were there before it was offered are others',
      was: 'onRecord(current) ?? {',
      becomes: '{',
    },
    {
      against: 'an offer that is taken up while the former claim is let in without a password',
      provenBy: 'test/controllers/core/managed/renewals.test.ts: it says that none lets everybody in',
      was: "if (value === null) return ['open'];",
      becomes: "if (value === null) return ['others'];",
    },
    {
      against: 'what is told on record for a former claim once it has left',
      provenBy:
        'test/controllers/core/managed/renewals.test.ts: others that were there before it was offered are others',
      was: 'if (isFormers(current) && !isTakenUp)',
      becomes: 'if (false)',
    },
    {
      against: 'a password that the former claim may know, handed on because nothing is on record of it',
      provenBy:
        'test/controllers/core/managed/renewals.test.ts: where nothing is on record, it is what is published, or what its system tells',
      was: '{ ...present(reported), ...before?.details }',
      becomes: '{ ...before?.details }',
    },
  ],
  'controllers/core/managed/renewals.ts': [
    {
      against:
        'a former password with the number of the newest, published by who ended before he told anybody',
      provenBy:
        'test/controllers/core/managed/revisions.test.ts: nor where who made it had published there, and told nobody',
      was: 'return begun.isTakenOver ? 2 : 1;',
      becomes: 'return begun.isTakenOver ? 2 : 0;',
    },
    {
      against: 'the same, by who ended in the middle of a renewal that another takes over',
      provenBy:
        'test/controllers/core/managed/revisions.test.ts: nor where who was about to set others had published them there, and told nobody',
      was: 'return begun.isTakenOver ? 2 : 1;',
      becomes: 'return 1;',
    },
    {
      against: 'a password believed, though the answer to the call that set another was lost',
      provenBy:
        'test/controllers/core/managed/renewals.test.ts: so that it is not believed either, if the answer was lost',
      was: '|| (ownMark(managed)?.isOver === false && isEmpty(offered));',
      becomes: ';',
    },
    {
      against: 'a password that another process has set, believed because of what a former one says late',
      provenBy:
        'test/controllers/core/managed/renewals.test.ts: and says so with a mark of its own, once, where that other has published since and may say yet that it is over',
      was: 'const isSettled = revision <= (status?.publishedRevision ?? 0);',
      becomes: 'const isSettled = true;',
    },
    {
      against: 'two processes that renew a password in turn',
      provenBy: 'test/controllers/core/managed/renewals.test.ts: for as long as it takes, mostly',
      was: "freshForMs(othersMark(managed) ?? '', now)",
      becomes: '0',
    },
  ],
  'controllers/core/managed/unpublished.ts': [
    {
      against: 'another password with each attempt to publish one',
      provenBy:
        'test/controllers/core/managed/unpublished.test.ts: of what is created: it begins with the first',
      was: 'all.set(uid, { secrets: { ...secrets, ...none }, before: before.details });',
      becomes: '',
    },
    {
      against: 'a password of our own believed over that of a second process, which nobody can tell apart',
      provenBy: 'test/controllers/core/managed/unpublished.test.ts: that somebody else has published since',
      was: "return isMatch(published, present(left.secrets)) ? {} : 'superseded';",
      becomes: 'return {};',
    },
  ],
  'controllers/author/password-rotations.ts': [
    {
      against: 'a password that is renewed again and again while the status cannot be written or read',
      provenBy:
        'test/controllers/postgresql/role-password.test.ts: a request that was heeded is heeded once, though the object does not show that yet',
      was: 'return untold.get(uid) ?? told;',
      becomes: 'return told;',
    },
  ],
  'controllers/postgresql/role-password.ts': [
    {
      against: 'a published password that the server does not take',
      provenBy: 'test/controllers/postgresql/role-password.test.ts: when the server does not take it',
      was: "if (isWrong) return { reason: 'wrong' };",
      becomes: '',
    },
    {
      against: 'a former password believed, that an edit of where to publish brings back',
      provenBy:
        'test/controllers/postgresql/role-password.test.ts: one that was said to work before somebody edited its owner is tried',
      was: 'return isSettled && status?.observedGeneration === metadata.generation;',
      becomes: 'return isSettled;',
    },
    {
      against: 'a former password believed, whose successor died with the process that had set it',
      provenBy:
        'test/controllers/postgresql/role-password.test.ts: one whose owner could not be looked at last is tried, for rotation may have been asked for until then',
      was: "['Ready', 'Synced'].every(",
      becomes: "['Ready'].every(",
    },
  ],
  'controllers/author/named-by-cloud.ts': [
    {
      against: 'a second one beside what an earlier attempt has made',
      provenBy:
        'test/controllers/author/named-by-cloud.test.ts: what carries our tags already is taken, and nothing is made beside it',
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
        'test/controllers/author/named-by-cloud.test.ts: what the cloud takes for ours, and is not, is not taken',
      was: "return found.filter((thing) => ownershipOf(adapter.told(managed, thing).tags, its) === 'ours');",
      becomes: 'return found;',
    },
    {
      against: 'what goes, taken for what is to be made',
      provenBy:
        'test/controllers/author/named-by-cloud.test.ts: what carries our tags and goes is not taken, and told to whoever makes another',
      was: 'const [staying, ...others] = all.filter(isStaying(managed));',
      becomes: 'const [staying, ...others] = all;',
    },
    {
      against: 'something in a cloud that nobody finds again',
      provenBy:
        'test/controllers/author/named-by-cloud.test.ts: it says whose it is from its first moment, whatever tags somebody asks for',
      was: 'const tags = { ...asked(managed), ...ownerTags(owner(managed)) };',
      becomes: 'const tags = asked(managed);',
    },
    {
      against: 'a thing that a tag of its user gives to somebody else',
      provenBy:
        'test/controllers/author/named-by-cloud.test.ts: tags that somebody asks for say nothing of whose it is',
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
        'test/controllers/aws/ec2.test.ts: that is made anew after it was terminated is another, although AWS remembers the token',
      was: "const parts = ['instance', uid ?? name, ...former.toSorted()];",
      becomes: "const parts = ['instance', name];",
    },
    {
      against: 'a machine that is gone, taken for one that is to be made',
      provenBy:
        'test/controllers/aws/ec2.test.ts: that is made anew after it was terminated is another, although AWS remembers the token',
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
        'test/controllers/aws/ec2.test.ts: that somebody stops stays stopped, whatever is changed of it, and whatever tags are asked for',
      was: 'if (isMarked(instance)) await instances.start(its, signal);',
      becomes: 'await instances.start(its, signal);',
    },
    {
      against: 'a machine that its user marks as stopped by us',
      provenBy:
        'test/controllers/aws/ec2.test.ts: that somebody stops stays stopped, whatever is changed of it, and whatever tags are asked for',
      was: 'omit(ownTags(spec.forProvider?.tags), Object.keys(stoppedMark))',
      becomes: 'ownTags(spec.forProvider?.tags)',
    },
  ],
  'controllers/aws/vpc/external-client.ts': [
    {
      against: 'a VPC that is called not made, for something of it could not be set',
      provenBy:
        'test/controllers/aws/ec2.test.ts: is on record before what is not set at its creation is tried again',
      was: 'attributesIn(wanted), signal).catch(() => {});',
      becomes: 'attributesIn(wanted), signal);',
    },
  ],
  'controllers/aws/subnet/external-client.ts': [
    {
      against: 'a subnet that is called not made, for something of it could not be set',
      provenBy:
        'test/controllers/aws/ec2.test.ts: is on record before what is not set at its creation is tried again',
      was: 'true, signal).catch(() => {});',
      becomes: 'true, signal);',
    },
  ],
  'controllers/aws/node-group/external-client.ts': [
    {
      against: 'whatever is done to a node group that somebody else made',
      provenBy:
        'test/controllers/aws/node-group.test.ts: takes none of the name that somebody else made, and neither changes nor deletes it',
      was: "return group !== undefined && claim(managed, group) === 'ours' ? group : undefined;",
      becomes: 'return group;',
    },
    {
      against: 'the deletion of a node group that has become somebody else’s since it was observed',
      provenBy:
        'test/controllers/aws/node-group.test.ts: takes none of the name that somebody else made, and neither changes nor deletes it',
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
      provenBy: 'test/controllers/aws/queue.test.ts: of the same name that somebody else made is not taken',
      was: 'if (queue !== undefined) claim(managed, queue);',
      becomes: '',
    },
    {
      against: 'a second creation, where nobody knows of the first',
      provenBy:
        'test/controllers/aws/queue.test.ts: whose answer was lost is found again, and one that cannot be looked for waits for a human',
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
        'test/controllers/aws/queue.test.ts: of a queue that has another: told with the right one, and left where it is',
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
      provenBy: "test/controllers/gcp/stack.test.ts: somebody else's instance is left alone, and told",
      was: "return whoseIs(managed, candidate, labelOwner(managed)) === 'ours' ? instance : undefined;",
      becomes: 'return instance;',
    },
    {
      against: 'the deletion of an instance that has become somebody else’s since it was observed',
      provenBy:
        'test/controllers/gcp/external-clients.test.ts: that is somebody else’s is neither taken for ours nor changed nor deleted',
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
        'test/controllers/gcp/external-clients.test.ts: that is somebody else’s is neither taken for ours nor changed nor deleted',
      was: "return whoseIs(managed, candidate, labelOwner(managed)) === 'ours' ? topic : undefined;",
      becomes: 'return topic;',
    },
    {
      against: 'the deletion of a topic that has become somebody else’s since it was observed',
      provenBy:
        'test/controllers/gcp/external-clients.test.ts: that is somebody else’s is neither taken for ours nor changed nor deleted',
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
      provenBy: 'test/controllers/gcp/desired-state.test.ts: a user cannot say whose it is',
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
        'test/controllers/gcp/stack.test.ts: an operation that fails is told, with the reason, and asked for again',
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
        'test/controllers/aws/ec2.test.ts: whose answer is lost while AWS does not show it yet is one, by its token, once a human lets it go on',
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
        'test/clients/gcp/access-tokens.test.ts: a token that was refused is renewed once, whoever tells of it',
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
        'test/clients/http.test.ts: is not sent, is told as such, and is neither tried again nor uncertain',
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
