/**
 * The expressions that replace guards whose default mutation would not bring back their fault. The key is the file and
 * the fault of a guard.
 */
export const values: Readonly<Record<string, string>> = {
  'stacks/postgresql/renamed.ts: a statement takes the name away from a resource that has it by right':
    'false',
  'runtime/controller/triggers.ts: a deletion right after a write of the run is lost': 'leavesOutOwn',
  'controllers/secret-shape-record.ts: the deletion of a class removes entries that applications read':
    'undefined',
  'controllers/secret-shape-record.ts: a user who edits the record makes the controllers remove their own annotations':
    'new Set([shapedAnnotation, ...keys])',
  'controllers/retention.ts: a date of a backup deletes data': 'true',
  'controllers/managed/run/operation.ts: an assigned name is lost if its write fails': 'true',
  'controllers/claim-secret.ts: the details of a store replace a Secret of a user':
    'isEqual(propagationSource(target), key)',
  'controllers/provider/provider-health.ts: it waits for a user whose run shows nothing': 'true',
  'controllers/provider/secret-texts.ts: messages lack the host of a server whose credentials are several entries of a Secret':
    'false',
  'stacks/aws/client/aws-client.ts: it creates a second one after a lost answer': 'refusal.isRetryable',
  'stacks/aws/client/aws-client.ts: it gives up while a new resource is not shown everywhere': 'false',
  'stacks/aws/client/aws-client.ts: it repeats before AWS permits it': 'firstMs',
  'stacks/aws/client/aws-client.ts: it repeats without end': '!mayRepeat',
  'stacks/aws/client/db-instances.ts: a bare 404 proves absence':
    'error.code === code || error.status === 404',
  'stacks/aws/client/ec2/tags.ts: a bare 404 proves absence':
    'missing.test(error.code) || error.status === 404',
  'stacks/aws/client/ec2/tags.ts: an empty answer proves absence': 'true',
  'stacks/aws/client/eks/node-groups.ts: a bare 404 proves absence': 'error.status === 404',
  'stacks/aws/client/eks/node-groups.ts: an empty answer counts': 'nodegroup',
  'stacks/aws/client/sqs/queues.ts: a bare 404 proves absence': 'error.status === 404',
  'clients/cloud-error.ts: a bare 404 proves absence': 'error.status === 404',
  'stacks/gcp/client/access-tokens.ts: each refused request exchanges the token': 'refused !== undefined',
  'stacks/gcp/client/google-api.ts: a missing project proves absence': 'false',
  'clients/http.ts: a request that was not sent counts as uncertain': 'error',
  'clients/http.ts: it exchanges a token without end':
    "error.status === 401 && typeof options.token === 'function'",
  "stacks/postgresql/client/database-read.ts: a tenant passes its database off as the administrator's, by a comment":
    'false',
  'stacks/postgresql/client/database.ts: a tenant fills the databases of others by a name that a class has as its template':
    'undefined',
  'stacks/postgresql/client/database.ts: a tenant owns a database of the administrator, who meant another role':
    'undefined',
  'stacks/postgresql/ownership.ts: a mark that was lost counts as the mark of another resource, and its remedy as another name':
    'false',
  'stacks/postgresql/postgresql-database/leftovers.ts: a deletion drops the database of the resource that has the name now':
    'false',
  "controllers/author/check-ownership.ts: it adopts another owner's resource": 'true',
  'controllers/author/cloud-state.ts: it changes a resource during its creation': '{ ready: creating() }',
  'controllers/author/cloud-state.ts: it deletes twice': '{ ready: deleting() }',
  'controllers/author/named-by-cloud.ts: a deletion waits for the resource of another owner':
    'external === undefined',
  'controllers/author/named-by-cloud.ts: a failed search hides the uncertain creation':
    'await ours(managed, signal)',
  'controllers/author/named-by-cloud.ts: a resource has no owner': 'requestedTags(managed)',
  'controllers/author/named-by-cloud.ts: an interrupted creation stays': 'undefined',
  'controllers/author/named-by-cloud.ts: it adopts a resource that is being deleted': 'all',
  'controllers/author/named-by-cloud.ts: it creates a second resource after a lost answer': 'error',
  'controllers/author/named-by-cloud.ts: it deletes a resource that has a new owner':
    'external !== undefined',
  'controllers/author/named-by-cloud.ts: it deletes what a predecessor of that name left':
    '!wasDeleted(managed)',
  'controllers/author/named-by-cloud.ts: the cloud returns resources of other owners': 'found',
  'controllers/author/named-by-cloud.ts: users change the owner by a tag': 'adapter.tagsOf?.(managed) ?? {}',
  'stacks/aws/connect.ts: an edit of the provider leads to another region': 'true',
  'stacks/aws/instance/external-client.ts: AWS returns the terminated instance of this token':
    "['instance', name]",
  'stacks/aws/instance/external-client.ts: it adopts a terminated instance': 'true',
  'stacks/aws/instance/external-client.ts: it starts an instance that a user stopped': 'true',
  'stacks/aws/instance/external-client.ts: users set the mark by a tag': 'ownTags(spec.forProvider?.tags)',
  "stacks/aws/node-group/external-client.ts: it adopts another owner's node group": 'true',
  'stacks/aws/node-group/external-client.ts: it deletes a node group that has a new owner': 'true',
  'stacks/aws/queue/external-client.ts: a creation with other attributes is refused': 'undefined',
  'stacks/aws/queue/external-client.ts: a deletion waits for the queue of another owner':
    'queue === undefined',
  'stacks/aws/queue/external-client.ts: a failed search hides the uncertain creation': 'await found()',
  'stacks/aws/queue/external-client.ts: an interrupted creation stays': 'given === undefined',
  'stacks/aws/queue/external-client.ts: it creates a second one after a lost answer': 'error',
  'stacks/aws/queue/external-client.ts: it deletes a queue that has a new owner': 'queue !== undefined',
  'stacks/aws/queue/external-client.ts: it uses a queue by the URL of another one': 'true',
  'stacks/aws/subnet/external-client.ts: the ID is lost':
    'await subnets.setPublicIps({ region, id: created.id }, true, signal)',
  'stacks/aws/tags.ts: it changes reserved tags without end': 'isMatch(actual, wanted)',
  'stacks/aws/tags.ts: users change the owner by a tag': '!isReserved(key)',
  'stacks/aws/vpc/external-client.ts: the ID is lost':
    'await vpcs.setAttributes({ region, id: created.id }, attributesIn(wanted), signal)',
  'controllers/claim-binding/desired.ts: the claim is deleted while its resource is being created': 'claim',
  'controllers/claim-binding/orphan-release.ts: a claim that the cache does not show yet loses its resource':
    'current',
  'controllers/claim-binding/provision.ts: a later claim of the same name gets the resource':
    '{ ...referenceTo(claim), uid: undefined }',
  'controllers/managed/reconciler.ts: a stale read creates or deletes an external resource': 'facts.managed',
  'controllers/managed/recording/identity.ts: an edit of the identity leads to another external resource':
    'requestedIdentity(named(context, managed), context.marks)',
  'controllers/managed/recording/process-memory.ts: the duration of a slow observation counts as a time of absence':
    'clock.elapsedMs() - absentSinceMs',
  'controllers/managed/run/create.ts: a crash hides the loss, because the next process does not know that there was an external resource':
    'facts',
  'controllers/managed/run/act.ts: after an edit another external resource is deleted':
    'clientOf(facts).delete(managed, signal)',
  'controllers/managed/run/act.ts: after an edit another resource is observed':
    'clientOf(facts).observe(managed, credentialIn(facts), signal)',
  'controllers/managed/run/create.ts: an assigned name is lost': 'managed',
  'controllers/managed/run/create.ts: an edit during the creation leads to another external resource': '{}',
  'controllers/managed/run/create.ts: an external resource is created before its identity is recorded':
    'Promise.resolve(facts)',
  'controllers/managed/run/act.ts: one observation proves an absence': 'Infinity',
  "controllers/managed/run/act.ts: the secrets of another owner's external resource are published": 'answer',
  'controllers/managed/run/decide-observed.ts: a process with --observe-only records a creation': '{ name }',
  'controllers/managed/run/decide.ts: details that a call reported are lost if the observation after it fails':
    'false',
  'controllers/managed/run/steps.ts: the result of a creation is lost': '() => false',
  'controllers/managed/setup.ts: a resolved name creates something with what another user has under that name now':
    'undefined',
  "stacks/demo-clouds/fcp/network/external-client.ts: it deletes another owner's network":
    'network !== undefined',
  'stacks/gcp/cloud-memorystore-instance/external-client.ts: it adopts a later instance of this name':
    'recorded !== undefined',
  "stacks/gcp/cloud-memorystore-instance/external-client.ts: it adopts another owner's instance": 'true',
  'stacks/gcp/cloud-memorystore-instance/external-client.ts: it reads the password of another owner': 'false',
  'stacks/gcp/cloud-memorystore-instance/external-client.ts: it reads the password while it changes': 'true',
  "stacks/gcp/labels.ts: it changes Google's labels without end":
    '{ ...usersLabels(wanted), ...ownerTags(labelOwner(managed)) }',
  'stacks/gcp/labels.ts: users change the owner by a label': 'isEqual(wanted, actual)',
  'stacks/gcp/progress.ts: a failed operation counts as done': 'true',
  "stacks/gcp/topic/external-client.ts: it adopts another owner's topic": 'true',
  'stacks/gcp/topic/external-client.ts: it deletes a topic that has a new owner': 'true',
  'stacks/postgresql/postgresql-database/external-client.ts: a database has no owner':
    "databases.create(nameOf(managed), spec, { ownerId: '-', signal })",
  'stacks/postgresql/postgresql-database/leftovers.ts: a database that a tenant owns by mistake stays without an error':
    'false',
  "stacks/postgresql/postgresql-database/leftovers.ts: it drops another owner's database": 'true',
  'controllers/author/grants.ts: the grant of a deleted account passes to a tenant who takes its name':
    'false',
  'runtime/cache/resource.ts: it overwrites a concurrent edit': 'true',
  'runtime/cache/store.ts: a late answer restores a deleted object': 'isSelected(object)',
  'runtime/cache/store.ts: a recreated object counts as modified': 'true',
  'runtime/cache/store.ts: an older version replaces a newer one': 'order === 0',
  'runtime/cache/watch-progress.ts: an expired watch is resumed for ever': 'code === 404 || isUnreadable',
  'runtime/cache/watch-requests.ts: a watch keeps events back for ever': 'takeUntil(overdue$)',
  'runtime/controller/controller.ts: a failed run is not repeated':
    "end('error', { type: 'done' }, { error })",
  'runtime/controller/urgency.ts: a less urgent key waits forever': 'false',
  'runtime/controller/returns.ts: a run that ended with a conflict is not repeated': 'undefined',
  'runtime/controller/returns.ts: it retries without a back-off': "schedule(request, 'requeue', 0)",
  'runtime/controller/returns.ts: no later run follows': 'undefined',
};

/**
 * A mutant that no test can notice, because it changes nothing visible. It is known by its text, so that it
 * may move; an edit of the line needs a new judgement.
 */
export interface Equivalent {
  /** The line the mutant begins in, without its indentation. */
  readonly line: string;
  readonly was: string;
  readonly becomes: string;
  /** Why nothing can tell the difference. */
  readonly because: string;
}

export const equivalents: readonly Equivalent[] = [
  {
    line: 'if (managed.status?.credential === undefined || credential === undefined || stored === undefined)',
    was: 'stored === undefined',
    becomes: 'false',
    because: 'a check before has generated the credential; the types do not know that',
  },
  ...['resourceClass === undefined', 'plan === undefined', 'plan instanceof Error'].map((was) => ({
    line: 'if (resourceClass === undefined || plan === undefined || plan instanceof Error) return undefined;',
    was,
    becomes: 'false',
    because: 'without a class there is no plan; a check before has decided about a plan that failed',
  })),
  {
    line: "if (claim === undefined || decision.act === 'nothing') return ended;",
    was: 'claim === undefined',
    becomes: 'false',
    because: 'of a claim that is gone nothing is decided but nothing; the types do not know that',
  },
  ...[
    ['target === undefined || source === undefined', 'false'],
    ['target === undefined || source === undefined', 'target === undefined && source === undefined'],
    ['target === undefined', 'false'],
    ['source === undefined', 'false'],
  ].map(([was = '', becomes = '']) => ({
    line: 'if (target === undefined || source === undefined) return ended;',
    was,
    becomes,
    because: 'where either is missing nothing is decided but nothing; the types do not know that',
  })),
  ...['claim === undefined || managed === undefined', 'claim === undefined', 'managed === undefined'].map(
    (was) => ({
      line: "if (claim === undefined || managed === undefined) return { name: 'NothingToCopyTo' }; // the checks above exclude this",
      was,
      becomes: 'false',
      because: 'a check before has decided if either does not exist; the types do not know that',
    }),
  ),
  {
    line: '...(selectorOf(object, field) === undefined ? [] : [bySelector]),',
    was: 'selectorOf(object, field) === undefined',
    becomes: 'false',
    because: 'who has no selector is passed over afterwards, too; the index spares the look at each',
  },
];
