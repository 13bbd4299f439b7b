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
  /** Where no simulation is to notice: the unit test that does, as `file: title`, and why. */
  readonly provenBy?: { readonly test: string; readonly because: string };
}

/** In each file, the guards that something must notice the lack of. */
const byFile: Readonly<Record<string, readonly Omit<Guard, 'file'>[]>> = {
  'controllers/core/managed/act.ts': [
    {
      against: 'an edit of what identifies a resource while it is created',
      was: 'const record = { [annotationKeys.externalIdentity]: encodeIdentity(identityToRecord(identity, run)) };',
      becomes: 'const record = {};',
    },
    {
      against: 'a second external resource after a crash between creation and its record',
      was: 'const annotations = identity.isAssigned ? { ...record, ...mark } : record;',
      becomes: 'const annotations = record;',
    },
    {
      against: 'a creation that nobody knows of: finalizer, name and marks come first',
      was: 'const marked = await prepare(context, run, { annotations, ready: isCreating });',
      becomes: 'const marked = run;',
    },
    {
      against: 'an assigned name that is forgotten',
      was: 'const recorded = await recordCreation(context, marked, creation);',
      becomes: 'const recorded = marked;',
    },
    {
      against: 'a managed resource that goes before its external resource has gone',
      was: 'return observed.exists ? endings.leaving(looked, observed) : finalise(context, looked);',
      becomes: 'return finalise(context, looked);',
    },
    {
      against: 'connection details that outlive their resource where nobody collects garbage',
      was: "await failing('', publisher.unpublish(current, signal), { ...cannotUnpublish, known: run });",
      becomes: '',
    },
    {
      against: 'an edit of what identifies a resource between its record and its creation',
      was: 'creation = await external.create(withInitProvider(identified(identity, marked)), marked.known, signal);',
      becomes: 'creation = await external.create(withInitProvider(marked.current), marked.known, signal);',
    },
    {
      against: 'the deletion of what an edit names in place of what was made',
      was: 'const removing = external.delete(identified(identity, run), signal);',
      becomes: 'const removing = external.delete(run.current, signal);',
    },
    {
      against: 'an interrupted creation that nobody finds under another name',
      was: 'if (left.exists) return endings.leftovers(run);',
      becomes: '',
    },
  ],
  'controllers/core/managed/steps.ts': [
    {
      against: 'an external resource left behind by a deletion',
      was: 'const finalizers = withFinalizer(object, finalizerNames.managed);',
      becomes: 'const finalizers = object.metadata.finalizers ?? [];',
    },
    {
      against: 'a resource that is created again because one look did not find it',
      was: 'const absentForMs = absences.note(run.current, observed.exists);',
      becomes: 'const absentForMs = Number.POSITIVE_INFINITY;',
    },
    {
      against: 'details that were known and are not offered again',
      was: 'const known = { ...run.known, ...details };',
      becomes: 'const known = { ...details };',
    },
    {
      against: 'a password lost because the look after the creation failed',
      was: 'const published = await publish(context, informed, undefined, ready);',
      becomes: 'const published = informed;',
    },
    {
      against: 'a look at what an edit names in place of what was made',
      was: 'const looking = external.observe(identified(identity, run), run.known, signal);',
      becomes: 'const looking = external.observe(run.current, run.known, signal);',
    },
  ],
  'controllers/core/managed/decide.ts': [
    {
      against: 'a second creation while nobody knows how the first ended',
      was: 'if (operation === undefined && isCreationIncomplete(managed)) {',
      becomes: 'if (false) {',
    },
    {
      against: 'the deletion of what policies keep',
      was: "if (!shouldDelete(managed.spec)) return { row: '6', act: 'orphan' };",
      becomes: '',
    },
    {
      against: 'a second external resource in the system that the provider leads to by now',
      was: "if (before === undefined || system === undefined || before === system) return { row: '11', act: 'observe' };",
      becomes: "return { row: '11', act: 'observe' };",
    },
    {
      against: 'absence that is believed after one look',
      was: 'const isCertain = absentForMs >= confirmMs;',
      becomes: 'const isCertain = true;',
    },
    {
      against: 'a second creation, or forgetting, of what does not show yet',
      was: "if (mayBeHidden(managed, graceMs, now)) return { row: '13', act: 'awaitExistence' };",
      becomes: '',
    },
    {
      against: 'a second resource beside one that is there after all',
      was: 'return isNameKnown || externalName(managed) === undefined',
      becomes: 'return true',
    },
    {
      against: 'work on what is paused',
      was: 'if (isPaused(managed)) {',
      becomes: 'if (false) {',
    },
    {
      against: 'work on what policies pause',
      was: 'if (isPausedByPolicies(managed.spec)) {',
      becomes: 'if (false) {',
    },
    {
      against: 'a creation that policies do not allow',
      was: "if (!shouldCreate(spec)) return { row: '28 absent', act: 'reportUncreated' };",
      becomes: '',
    },
    {
      against: 'an update that policies do not allow',
      was: "return shouldUpdate(spec) ? { row: '31', act: 'update' }",
      becomes: "return true ? { row: '31', act: 'update' }",
    },
    {
      against: 'fields that are filled in although policies do not allow it',
      was: 'observed.lateInitialized !== undefined && shouldLateInitialize(spec) &&',
      becomes: 'observed.lateInitialized !== undefined &&',
    },
  ],
  'controllers/core/managed/identity.ts': [
    {
      against: 'everything that an edit of the identity may lead to',
      was: 'return recorded === undefined ? object : asRecorded(object, recorded, context.identityFields, isExact);',
      becomes: 'return object;',
    },
  ],
  'controllers/core/managed/creation-record.ts': [
    {
      against: 'a creation that is called failed and may have happened',
      was: 'const known = identity.isAssigned && !isUncertain ? await recordFailure(context, run) : run;',
      becomes: 'const known = identity.isAssigned ? await recordFailure(context, run) : run;',
    },
    {
      against: 'an assigned name lost to a write of somebody else',
      was: 'if (isConflict(error)) current = await refetched(managedResources, current, signal);',
      becomes: '',
    },
  ],
  'controllers/core/managed/reconciler.ts': [
    {
      against: 'a deletion that waits for what it refers to',
      was: 'const resolving = wasDeleted(found.current) ? undefined : resolveReferences?.(found.current, signal);',
      becomes: 'const resolving = resolveReferences?.(found.current, signal);',
    },
  ],
  'controllers/core/claim-binding/reconciler.ts': [
    {
      against: 'a creation whose answer was lost, told as a failure',
      was: 'if (!isAlreadyExists(error)) throw error;',
      becomes: 'throw error;',
    },
    {
      against: 'a claim that loses its resource because a cache is behind',
      was: `managedResources.get({ name }) ??
      (await failing('cannot get managed resource', managedResources.fetch({ name }, signal), cannotRead))`,
      becomes: 'managedResources.get({ name })',
    },
    {
      against: 'a resource made for a claim that does not say so, nor waits for it',
      was: 'return create(await record(claim, signal), decision.resourceClass, signal);',
      becomes:
        "return create(withRecordedResource(service, claim, provisionedNames(claim)[0] ?? ''), decision.resourceClass, signal);",
    },
    {
      against: 'a bound claim that is told of a secret that goes with its resource',
      was: 'if (!wasDeleted(healed)) await propagate(updated, healed, signal);',
      becomes: 'await propagate(updated, healed, signal);',
    },
    {
      against: 'a claim that says Bound before it has its secret',
      was: `    await propagate(updated, referring, signal);
    const phased`,
      becomes: '    const phased',
    },
  ],
  'controllers/core/claim-binding/bind.ts': [
    {
      against: 'a resource made by hand that is reclaimed although its claim was never Bound',
      was: 'annotations: { ...annotations, ...(before === undefined ? reserving : {}) },',
      becomes: 'annotations,',
    },
    {
      against: 'a resource that nobody lets go of when its claim vanishes',
      was: "return { ...managed, status: { ...managed.status, bindingPhase: 'Bound', boundUID } };",
      becomes: "return { ...managed, status: { ...managed.status, bindingPhase: 'Bound' } };",
    },
    {
      against: 'a bound claim that goes without letting go',
      was: 'finalizers: withFinalizer(claim, finalizerNames.claim),',
      becomes: 'finalizers: claim.metadata.finalizers ?? [],',
    },
  ],
  'controllers/core/claim-binding/provision.ts': [
    {
      against: 'a claim that goes while its resource is made',
      was: 'finalizers: withFinalizer(claim, finalizerNames.claim),',
      becomes: 'finalizers: claim.metadata.finalizers ?? [],',
    },
    {
      against: 'a resource that passes to the next claim of that name',
      was: 'claimRef: referenceTo(claim),',
      becomes: 'claimRef: { ...referenceTo(claim), uid: undefined },',
    },
  ],
  'controllers/core/claim-binding/provisioned-name.ts': [
    {
      against: "a claim that takes the former's resource of its name for its own",
      was: `update(\`\${uid}/\${attempt}\`)`,
      becomes: `update(\`\${namespace}/\${attempt}\`)`,
    },
  ],
  'controllers/core/claim-binding/decide.ts': [
    {
      against: 'a claim that takes what another has',
      was: 'if (claimRef !== undefined && !refersToClaim(managed, claim)) {',
      becomes: 'if (false) {',
    },
    {
      against: 'a claim bound to what is not ready',
      was: "if (phase === 'Unbound') return { row: 'K14', act: 'bind', managed };",
      becomes: "if (phase !== 'Released') return { row: 'K14', act: 'bind', managed };",
    },
    {
      against: "a stranger's data handed to the next claim",
      was: `if (phase === 'Released') {
    const { plural`,
      becomes: `if (false) {
    const { plural`,
    },
  ],
  'controllers/core/claim-binding/decide-deleted.ts': [
    {
      against: 'a claim that reclaims although it never held on',
      was: "if (!hasFinalizer(claim, finalizerNames.claim)) return { row: 'K6 finalised', act: 'nothing' };",
      becomes: '',
    },
    {
      against: "a claim that takes another's resource with it",
      was: 'if (!refersToClaim(managed, claim) || managed.spec.claimRef?.uid === undefined) {',
      becomes: 'if (false) {',
    },
    {
      against: 'a claim that takes the resource of a former claim of its name with it',
      was: "if (isSomeoneElses(managed, claim)) return { row: 'H6', act: 'finalise' };",
      becomes: '',
    },
    {
      against: 'a resource left behind by a claim that was never Bound',
      was: "if (wasProvisionedForClaim(managed)) return { row: 'K6 provisioned', act: 'release', managed, reclaim };",
      becomes: '',
    },
    {
      against: 'a resource that was handed over and is offered to others',
      was: 'return isUnused && holdsClaim(managed, claim) && isReserved(managed)',
      becomes: 'return holdsClaim(managed, claim) && isReserved(managed)',
    },
    {
      against: 'a resource made by hand that a claim took and never used, lost to others',
      was: `return isUnused && holdsClaim(managed, claim) && isReserved(managed)
`,
      becomes: `return false
`,
    },
  ],
  'controllers/core/claim-binding/decide-orphan.ts': [
    {
      against: 'the reclaiming of what a living claim has',
      was: `if (claim?.metadata.uid === claimRef.uid) return { row: 'O2', act: 'nothing' };
  if (claim !== undefined && namesManaged(service, claim, managed))
    return { row: 'O2 named', act: 'nothing' };`,
      becomes: '',
    },
    {
      against: 'writes to what goes already',
      was: "if (!isOurs || wasDeleted(managed)) return { row: 'O1', act: 'nothing' };",
      becomes: "if (!isOurs) return { row: 'O1', act: 'nothing' };",
    },
  ],
  'controllers/core/claim-binding/orphan-release.ts': [
    {
      against: 'the reclaiming of what a claim has that a cache does not know yet',
      was: "const claim = await annotate('cannot get resource claim', claims.fetch(key, signal));",
      becomes: 'const claim = seen;',
    },
  ],
  'controllers/core/claim/holdings.ts': [
    {
      against: 'a claim that holds what a former one of its name had',
      was: 'managed.spec.claimRef?.uid === claim.metadata.uid && refersToClaim(managed, claim);',
      becomes: 'refersToClaim(managed, claim);',
    },
    {
      against: 'a claim bound to what a former one of its name had',
      was: "return isOtherUid && isTaken && claim.status?.bindingPhase !== 'Bound';",
      becomes: 'return false;',
    },
  ],
  'controllers/core/claim-binding/release.ts': [
    {
      against: 'a secret that goes on to be given to who let go of it',
      was: "await failing('cannot update connection secret', withdrawn, cannotUnbind);",
      becomes: '',
    },
    {
      against: "a claim's secret that outlives it where nobody collects garbage",
      was: `await deleteSecrets(secrets, claim.metadata, facts, signal);
`,
      becomes: '',
    },
    {
      against: 'a resource that is released and still names its claim',
      was: 'const freed = unlessGone(managedResources.update(kept, withoutClaim(kept), signal));',
      becomes: 'const freed = Promise.resolve();',
    },
  ],
  'controllers/core/claim-binding/propagate.ts': [
    {
      against: 'a secret that a claim does not name any more',
      was: 'await removeStaleTargets(secrets, claim, wanted?.name, signal);',
      becomes: '',
    },
    {
      against: "somebody else's secret handed to a claim",
      was: 'if (!isControlledBy(source, managed)) {',
      becomes: 'if (false) {',
    },
    {
      against: "somebody else's secret overwritten for a claim",
      was: "if (typeof control === 'object') {",
      becomes: 'if (false) {',
    },
    {
      against: 'a secret that exists and is not taken',
      was: 'if (!isAlreadyExists(error)) throw error; // else one',
      becomes: 'throw error; // else one',
    },
  ],
  'controllers/core/secret-propagation/decide.ts': [
    {
      against: 'a secret given to who was not named',
      was: 'if (!consents) {',
      becomes: 'if (false) {',
    },
    {
      against: 'a secret taken from who does not own it',
      was: 'if (managed === undefined || !isControlledBy(source, managed)) {',
      becomes: 'if (managed === undefined) {',
    },
    {
      against: 'a secret written that belongs to somebody else',
      was: "if (claim === undefined || typeof controlOf(target, claim) === 'object') {",
      becomes: 'if (claim === undefined) {',
    },
    {
      against: 'a secret given to a claim that is not bound',
      was: 'if (!areBound(managed, claim)) {',
      becomes: 'if (false) {',
    },
  ],
  'controllers/core/connection/connection-publisher.ts': [
    {
      against: "connection details in somebody else's secret",
      was: `if (typeof control === 'object') throw refusalOf(control, secret);
  const { annotations }`,
      becomes: 'const { annotations }',
    },
    {
      against: 'connection details lost to a write of somebody else',
      was: 'if (!isOutdated || attempt === maxAttempts) throw error;',
      becomes: 'throw error;',
    },
    {
      against: 'a new password overwritten with the old one',
      was: '(value, key) => present[key] === value || (before[key] === value && published[key] !== undefined),',
      becomes: '(value, key) => present[key] === value,',
    },
    {
      against: "the deletion of somebody else's secret",
      was: 'if (secret !== undefined && isControlledBy(secret, managed)) {',
      becomes: 'if (secret !== undefined) {',
    },
    {
      against: 'a key that somebody edited, taken for what was published',
      was: 'return wasReady && isAnother ? {} : withoutEdited(decodeDetails(secret), annotations);',
      becomes: 'return decodeDetails(secret);',
    },
  ],
  'controllers/core/connection/store-publisher.ts': [
    {
      against: 'an entry of a store overwritten that belongs to somebody else',
      was: 'if (stored !== undefined && stored.ownerUid !== ownerUid) throw refusal(store, managed, to, stored);',
      becomes: '',
    },
    {
      against: 'an entry of a store removed that belongs to somebody else',
      was: 'if (stored !== undefined && stored.ownerUid === metadata.uid)',
      becomes: 'if (stored !== undefined)',
    },
  ],
  'controllers/core/connection/vault-store.ts': [
    {
      against: 'an entry of Vault whose owner nobody knows after a crash',
      was: 'if (before === undefined) await take(path, desired.ownerUid, 0, signal);',
      becomes: '',
    },
    {
      against: "the removal of an entry that has become somebody else's",
      was: 'await take(path, ownerUid, secret.version, signal);',
      becomes: '',
    },
  ],
  'controllers/core/claim-scheduling/decide.ts': [
    {
      against: 'a class chosen again for a claim that has one',
      was: `if (isHolding) return { row: 'S3 holding', act: 'nothing' }; // binding restores its references
  if (claim.spec.classRef !== undefined) return { row: 'S3', act: 'nothing' };`,
      becomes: "if (isHolding) return { row: 'S3 holding', act: 'nothing' };",
    },
    {
      against: 'a second class for a claim that has a resource',
      was: "if (isHolding) return { row: 'S3 holding', act: 'nothing' };",
      becomes: '',
    },
    {
      against: 'two schedulers that both write',
      was: "if (!isOfKind(chosen, kind)) return { row: 'S6 peer', act: 'nothing' };",
      becomes: '',
    },
  ],
  'controllers/core/provider/decide.ts': [
    {
      against: 'a ProviderConfig that goes while it is used',
      was: 'return isProtected && users.length > 0',
      becomes: 'return false',
    },
  ],
  'controllers/core/provider/setup.ts': [
    {
      against: 'a ProviderConfig that goes while its users are not known yet',
      was: 'if (stores.some(({ isSynced }) => !isSynced)) return after(syncRetryMs);',
      becomes: '',
    },
  ],
  'runtime/cache/resource.ts': [
    {
      against: 'a write over what somebody else wrote meanwhile',
      was: 'return { ...patch, metadata: { ...(patch.metadata as Json | undefined), resourceVersion } };',
      becomes: 'return patch;',
    },
    {
      against: 'the deletion of what has the name by now',
      was: 'const preconditions = { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) };',
      becomes: 'const preconditions = {};',
    },
    {
      against: 'the deletion of what changed since it was read',
      was: 'const preconditions = { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) };',
      becomes: 'const preconditions = { ...(uid && { uid }) };',
    },
    {
      against: 'a write that changes nothing',
      was: `const patch = mergePatch(writable(current), writable(desired));
      if (patch === undefined) return current;`,
      becomes: 'const patch = mergePatch(writable(current), writable(desired)) ?? {};',
    },
    {
      against: 'a write of a status that changes nothing',
      was: `const patch = mergePatch({ status: statusOf(current) }, { status: statusOf(desired) });
      if (patch === undefined) return current;`,
      becomes:
        'const patch = mergePatch({ status: statusOf(current) }, { status: statusOf(desired) }) ?? {};',
    },
    {
      against: 'a run that does not see what the one before it wrote',
      was: `    store.record(object);
`,
      becomes: '',
    },
  ],
  'runtime/cache/store.ts': [
    {
      against: 'an older object in place of a newer one',
      was: 'if (order === 0 || (order < 0 && !isForced)) return;',
      becomes: 'if (order === 0) return;',
    },
    {
      against: 'a late answer that brings back what was deleted',
      was: 'if (compareResourceVersions(version, position) > 0 && isSelected(object)) put(key, object);',
      becomes: 'if (isSelected(object)) put(key, object);',
    },
    {
      against: 'what vanished while nobody watched, and is still believed in',
      was: 'if (!listed.has(key) && (isRewound || !isNewer)) remove(key);',
      becomes: '',
    },
    {
      against: 'what was just written and is thought gone because a list is older',
      was: 'if (!listed.has(key) && (isRewound || !isNewer)) remove(key);',
      becomes: 'if (!listed.has(key)) remove(key);',
    },
    {
      against: 'a deletion that is not noticed because the name was taken again',
      was: 'else if (previous.metadata.uid === stored.metadata.uid) {',
      becomes: 'else if (previous !== undefined) {',
    },
  ],
  'runtime/cache/watch.ts': [
    {
      against: 'a watch that asks for what the API server has forgotten, for ever',
      was: 'if (isExpired(error) || code === 404 || isUnreadable) {',
      becomes: 'if (code === 404 || isUnreadable) {',
    },
    {
      against: 'a watch that is open, silent and believed',
      was: 'takeUntil(merge(overdue$, disbelief$)),',
      becomes: 'takeUntil(overdue$),',
    },
  ],
  'runtime/controller/work-queue.ts': [
    {
      against: 'a hot loop while something fails',
      was: 'schedule(key, wake, Math.max(delayAfter(failures, key, backoff), next.atLeastMs ?? 0));',
      becomes: 'schedule(key, wake, 0);',
    },
    {
      against: 'a change that is lost because somebody was quicker',
      was: 'schedule(key, wake, delayAfter(conflicts, key, conflictBackoff));',
      becomes: '',
    },
    {
      against: 'a resource that is never looked at again',
      was: `forget(key);
            schedule(key, wake, next.delayMs);`,
      becomes: 'forget(key);',
    },
  ],
  'runtime/controller/merge-map-by-key.ts': [
    {
      against: 'two runs of one key at a time',
      was: 'if (running.has(key)) return;',
      becomes: '',
    },
    {
      against: 'a change that is lost because it came during a run',
      was: 'if (slots.has(key)) ready.push(key);',
      becomes: '',
    },
  ],
  'runtime/controller/controller.ts': [
    {
      against: 'a failure after which nobody tries again',
      was: "end('error', { type: 'requeue', ...(retryAfterMs && { atLeastMs: retryAfterMs }) }, { error });",
      becomes: "end('error', { type: 'done' }, { error });",
    },
  ],
  'controllers/author/whose-is.ts': [
    {
      against: "somebody else's database, taken over",
      was: "if (ownership === 'ours' || (ownership === 'nobody' && isKnown)) return 'ours';",
      becomes: "return 'ours';",
    },
  ],
  'controllers/author/named-by-us.ts': [
    {
      against: 'a password that changes although it was published',
      was: 'const password = known.password ?? generatePassword();',
      becomes: 'const password = generatePassword();',
    },
    {
      against: 'a password that is lost with the answer of the creation',
      was: 'needsPassword: isPasswordMissing(managed, known),',
      becomes: 'needsPassword: false,',
    },
    {
      against: "the deletion of somebody else's database",
      was: 'if ((await find(managed, signal)) !== undefined) await things.delete(nameOf(managed), signal);',
      becomes: 'await things.delete(nameOf(managed), signal);',
    },
  ],
  'controllers/fcp/network/external-client.ts': [
    {
      against: 'a second network after an interrupted creation',
      was: 'if (id !== undefined) return { externalName: id };',
      becomes: '',
    },
    {
      against: "the deletion of somebody else's network",
      was: "if (network !== undefined && claim(managed, network) === 'ours') {",
      becomes: 'if (network !== undefined) {',
    },
  ],
  'controllers/postgresql/postgresql-database/external-client.ts': [
    {
      against: 'a database that nobody owns',
      was: 'await databases.create(nameOf(managed), spec, { ownerId: ownerIdOf(managed), signal });',
      becomes: "await databases.create(nameOf(managed), spec, { ownerId: '-', signal });",
    },
  ],
  'clients/postgresql/database-build.ts': [
    {
      against: 'a creation that never succeeds after a crash in its midst',
      was: 'await dropUnfinished(session, unfinished); // made by us before a crash, perhaps to another spec',
      becomes: '',
    },
  ],
  'controllers/postgresql/postgresql-database/leftovers.ts': [
    {
      against: 'an interrupted creation that outlives its managed resource',
      was: '(await databases.observe(unfinishedName(ownerIdOf(managed), name), { signal })) !== undefined ||',
      becomes: '',
    },
    {
      against: "the drop of somebody else's database",
      was: 'if (database === undefined || isOurs(managed, database)) {',
      becomes: 'if (true) {',
    },
  ],
  'controllers/postgresql/role-password.ts': [
    {
      against: 'a published password that the server does not take',
      was: "if (isWrong) return { reason: 'wrong' };",
      becomes: '',
    },
  ],
};

export const guards: readonly Guard[] = Object.entries(byFile).flatMap(([file, all]) =>
  all.map((guard) => ({ file, ...guard })),
);
