import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Claim, ClaimSpec } from '../../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../../apis/core/v1alpha1/class.ts';
import type { Condition } from '../../../apis/core/v1alpha1/condition.ts';
import { getCondition, notReady } from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { withClaimStatus } from '../../../controllers/claim/claim-status.ts';
import type { Candidates } from '../../../controllers/claim/class-choice.ts';
import { drawClass, newestFirst } from '../../../controllers/claim/class-choice.ts';
import type { ClassDecision } from '../../../controllers/claim/decide-class.ts';
import { whyNotSuitable } from '../../../controllers/claim/incompatible.ts';
import {
  decideDefaulting,
  defaultingDecisions,
  needsDefaulting,
} from '../../../controllers/claim-defaulting/decide.ts';
import { decideScheduling, schedulingDecisions } from '../../../controllers/claim-scheduling/decide.ts';
import type { ClaimService } from '../../../controllers/claim-service.ts';
import { assertEveryDecision } from '../every-decision.ts';
import {
  claim,
  classKind,
  classRef,
  deletionTimestamp,
  managed,
  now,
  otherClassKind,
  otherService,
  resourceClass,
  resourceRef,
  service,
} from '../objects.ts';

const small = resourceClass('small', { labels: { size: 'small' } });
const large = resourceClass('large', { labels: { size: 'large' } });
const leaving = resourceClass('leaving', { labels: { size: 'small' }, deletionTimestamp });
const theirLabels = { size: 'small', cloud: 'other' };
const foreign = resourceClass('foreign', { labels: theirLabels }, { kind: otherClassKind });

const specTemplate = { forProvider: { engine: 'wrong' } };
const wrong = (name: string, annotations = {}, creationTimestamp = '2026-01-04T00:00:00Z') =>
  resourceClass(name, { labels: { size: 'small' }, annotations, creationTimestamp }, { specTemplate });
const wrongPeer = (name: string) => resourceClass(name, {}, { kind: otherClassKind, specTemplate });
const peerSmall = resourceClass('small', {}, { kind: otherClassKind });
const others = (name: string) => resourceClass(name, { labels: { size: 'small' } });
const whyNotSuitableBy = (by: ClaimService) => (of: Claim, offered: Class) => whyNotSuitable(by, of, offered);

interface Want {
  /** All of the decision but its message. */
  readonly want: Pick<ClassDecision, 'name' | 'act'> & {
    readonly reason?: string;
    readonly classRef?: object;
    readonly consideredKinds?: readonly string[];
    readonly isOfReturnable?: true;
  };
  readonly message?: RegExp;
}
interface More {
  readonly isHolding?: boolean;
  readonly returnable?: Managed;
  readonly peerClasses?: readonly Class[];
  /** The names of classes that claims of the namespace may not have. */
  readonly forbidden?: readonly string[];
  readonly namespaceProblem?: string;
}

const given = (of: Claim | undefined, classes: readonly Class[], want: Want, more: More = {}) => {
  const { isHolding = false, returnable, peerClasses = [], forbidden = [], namespaceProblem } = more;
  const isForbidden = ({ metadata }: Class) => forbidden.includes(metadata.name);
  const candidates = [
    { kind: otherClassKind, classes: peerClasses, whyNotSuitable: whyNotSuitableBy(otherService) },
    { kind: classKind, classes, whyNotSuitable: whyNotSuitableBy(service), isForbidden },
  ];
  return { facts: { claim: of, isHolding, candidates, namespaceProblem, returnable }, ...want };
};
type Case = ReturnType<typeof given>;
type Cases = Readonly<Record<string, () => Case>>;

function testDecisions(
  names: readonly string[],
  cases: Cases,
  decide: (facts: Case['facts']) => ClassDecision,
): void {
  test('every decision has a case', () =>
    assertEveryDecision(
      names,
      Object.values(cases).map((make) => make().want.name),
    ));
  for (const [rule, make] of Object.entries(cases)) {
    test(rule, () => {
      const { facts, want, message: wanted } = make();
      const { message, eventMessage: _, ...decision } = { message: '', eventMessage: '', ...decide(facts) };
      assert.deepEqual(decision, want);
      assert.match(message, wanted ?? /^$/);
    });
  }
}

const both = [
  'ambivalentdbinstanceclasses.v1alpha1.database.ocp.crossplane.io',
  'favouritedbinstanceclasses.v1alpha3.database.fcp.crossplane.io',
];

const third = 'thirdclasses.v1.third.io';
/** The report of a process with other stacks, for this generation of the claim. */
const reportedOf = (spec: ClaimSpec, reason: string, kind: string) => {
  const at = { lastTransitionTime: '2026-01-01T00:00:00Z', observedGeneration: 3 };
  const conditions = [{ ...notReady(reason, 'in whatever words'), ...at }];
  return claim(spec, { status: { consideredKinds: [kind], conditions } });
};

const bySelector = (selector: object) => claim({ classSelector: selector });
const smallOfNoCloud = bySelector({
  matchLabels: { size: 'small' },
  matchExpressions: [{ key: 'cloud', operator: 'DoesNotExist' }],
});
const notSmall = bySelector({ matchExpressions: [{ key: 'size', operator: 'NotIn', values: ['small'] }] });
const sized = (size: string) => bySelector({ matchLabels: { size } });
const malformed = bySelector({ matchExpressions: [{ key: 'size', operator: 'In' }] });
const otherKind = claim({ classRef: { name: 'small', kind: 'FavouriteDBInstanceClass' } });
const called = (name: string) => claim({ classRef: { name } });
const nothing = (name: ClassDecision['name']): Want => ({ want: { name, act: 'nothing' } });
/** This class is assigned, and the Event says how it was found. */
const assigns = (name: string, message: RegExp): Want => ({
  want: { name: 'AssignClass', act: 'schedule', classRef: { ...classRef(name), uid: `${name}-uid` } },
  message,
});
const selects = (name: string, why: string): Want =>
  assigns(name, new RegExp(`^selected FavouriteDBInstanceClass ${name}${why}$`));
const defaults = (name: string, why = ''): Want =>
  assigns(name, new RegExp(`^defaulted to FavouriteDBInstanceClass ${name}${why}$`));
const olderDefault = defaults('older');
const onlyMatch = selects('small', ', the only matching resource class');
const onlyNamed = (name: string): Want => selects(name, ', the only resource class of that name');
const passingOverPeer = assigns(
  'small',
  /; passed over: AmbivalentDBInstanceClass small has engine "wrong"$/,
);
const huge = { classSelector: { matchLabels: { size: 'huge' } } };
/** There is no class for the claim. */
const reports = (
  reason: 'NoMatchingClass' | 'NoDefaultClass' | 'ClassNotFound' | 'AmbiguousClass',
  message: RegExp,
): Want => ({ want: { name: reason, act: 'report', reason, consideredKinds: both }, message });
const invalidSelector: Want = {
  want: { name: 'InvalidClassSelector', act: 'report', reason: 'InvalidClassSelector' },
  message: /^spec\.classSelector\.matchExpressions\[0\]\.values: must be given/,
};

/** A previous claim of this name had it, from another class than the claim would get now. */
const returnable = managed({ classRef: classRef('former') });
const returnableClass: Want = {
  want: { name: 'AssignClass', act: 'schedule', classRef: classRef('former'), isOfReturnable: true },
  message:
    /^FavouriteDBInstanceClass former of FavouriteDBInstance db, which a previous claim of this name had$/,
};

const isDefault = { 'resourceclass.crossplane.io/is-default-class': 'true' };
const asDefault = (name: string, creationTimestamp: string, value = 'true', kind = classKind) =>
  resourceClass(
    name,
    { creationTimestamp, annotations: { 'resourceclass.crossplane.io/is-default-class': value } },
    { kind },
  );
const older = asDefault('older', '2026-01-01T00:00:00Z');
const newer = asDefault('newer', '2026-01-02T00:00:00Z');
const newest = asDefault('newest', '2026-01-03T00:00:00Z', 'true', otherClassKind);

/** Of claims that scheduling and defaulting decide alike, with the spec that the controller looks after. */
const shared = (spec: ClaimSpec): Cases => ({
  'ClaimGone: ClaimNotFound: a deleted claim needs nothing': () => given(undefined, [], nothing('ClaimGone')),
  'HasResource: a claim whose references were removed is not scheduled again': () =>
    given(claim(spec), [small, older], nothing('HasResource'), { isHolding: true }),
  'HasClass: ClaimHasClassRef: a claim that another scheduler gave a class keeps it': () =>
    given(claim({ ...spec, classRef: classRef('small') }), [small, older], nothing('HasClass')),
  'H8: a claim that names a resource is not scheduled': () =>
    given(claim({ ...spec, resourceRef: resourceRef('db') }), [small, older], nothing('NeedsNoClass')),
  'AssignClass: a claim that can take a resource back gets the class of that resource': () =>
    given(claim(spec), [small, older], returnableClass, { returnable }),
  'H8: a claim that is being deleted is not scheduled': () =>
    given(claim(spec, { deletionTimestamp }), [small, older], nothing('NeedsNoClass')),
});

const scheduling: Cases = {
  ...shared({ classSelector: {} }),
  'H8: a claim whose selector was removed in between is not scheduled': () =>
    given(claim({}), [small], nothing('NeedsNoClass')),
  'NoMatchingClass: NoClassesMatchLabels: the report has the selector and the classes': () => {
    const message = /size=huge.*AmbivalentDBInstanceClass 0 of 1, FavouriteDBInstanceClass 0 of 2/;
    return given(sized('huge'), [small, large], reports('NoMatchingClass', message), {
      peerClasses: [foreign],
    });
  },
  'ReportedElsewhere: the report of a process with other stacks is not replaced': () =>
    given(reportedOf(huge, 'NoMatchingClass', third), [small], nothing('ReportedElsewhere')),
  'NoMatchingClass: a report from the time before the claim had a selector is replaced': () => {
    const message = /FavouriteDBInstanceClass 0 of 1/;
    return given(reportedOf(huge, 'NoDefaultClass', 'third'), [small], reports('NoMatchingClass', message));
  },
  'InvalidClassSelector: a malformed selector names its field': () => given(malformed, [], invalidSelector),
  'AssignClass: Successful: classRef holds apiVersion, kind, name and uid': () =>
    given(sized('small'), [small, large], onlyMatch),
  'NoMatchingClass: of classes that the namespace may not have, the message has only the number': () => {
    const message =
      /can serve the claim and matches spec\.classSelector size=small \(matching: AmbivalentDBInstanceClass 0 of 0, FavouriteDBInstanceClass 2 of 2\); 2 of them may not be claimed from namespace team$/;
    return given(sized('small'), [small, others('theirs')], reports('NoMatchingClass', message), {
      forbidden: ['small', 'theirs'],
    });
  },
  'NoMatchingClass: if the labels of the namespace are not known, the message has the missing right': () => {
    const message =
      /1 of them may not be claimed from namespace team, because the labels of that namespace are not known: namespaces "team" is forbidden$/;
    return given(sized('small'), [small], reports('NoMatchingClass', message), {
      forbidden: ['small'],
      namespaceProblem: 'namespaces "team" is forbidden',
    });
  },
  'AssignClass: a claim that names another class does not get that of the resource': () =>
    given(called('small'), [small], onlyNamed('small'), { returnable }),
  'AssignClass: a claim that names that class without its kind gets its kind': () =>
    given(called('former'), [small], returnableClass, { returnable }),
  'AssignClass: a class that the namespace may not have is not chosen': () =>
    given(sized('small'), [small, others('theirs')], onlyMatch, { forbidden: ['theirs'] }),
  'AssignClass: if several classes match, the Event has their number': () =>
    given(bySelector({}), [small, large], selects('large', ' of 2 matching resource classes')),
  'AssignClass: matchExpressions alone select too (the original matched every class)': () =>
    given(notSmall, [small, large], selects('large', ', the only matching resource class')),
  'AssignClass: both parts of a selector must hold': () =>
    given(smallOfNoCloud, [small], onlyMatch, { peerClasses: [foreign] }),
  'AssignClass: an empty selector matches every class': () => given(bySelector({}), [small], onlyMatch),
  'NoMatchingClass: a class being deleted is not chosen': () =>
    given(sized('small'), [leaving], reports('NoMatchingClass', /FavouriteDBInstanceClass 0 of 1/)),
  'AssignClass: a class that cannot serve the claim is passed over, and the Event says why': () =>
    given(
      sized('small'),
      [wrong('wrong'), small],
      selects(
        'small',
        ', the only matching resource class; passed over: FavouriteDBInstanceClass wrong has engine "wrong"',
      ),
    ),
  'NoMatchingClass: if no matching class can serve the claim, the message has the reasons of up to three':
    () => {
      const message =
        /^no resource class can serve the claim and matches spec\.classSelector size=small \(matching: AmbivalentDBInstanceClass 0 of 0, FavouriteDBInstanceClass 4 of 5\); FavouriteDBInstanceClass a has engine "wrong"; .* b has engine "wrong"; .* c has engine "wrong"; and 1 more$/;
      return given(
        sized('small'),
        [wrong('d'), wrong('b'), wrong('c'), wrong('a'), large],
        reports('NoMatchingClass', message),
      );
    },
  'AssignClass: a classRef with only a name gets the class of that name': () =>
    given(called('small'), [small, large], onlyNamed('small')),
  'AssignClass: a classRef with only a name skips a class that cannot serve the claim': () =>
    given(called('small'), [small], passingOverPeer, { peerClasses: [wrongPeer('small')] }),
  'ClassNotFound: a class that cannot exist is not to be created': () =>
    given(
      called('Small'),
      [small],
      reports(
        'ClassNotFound',
        /^no resource class is named Small; correct spec\.classRef: no object can have that name; these can serve the claim: FavouriteDBInstanceClass small$/,
      ),
    ),
  'ClassNotFound: no class has the name, and the message lists the classes that can serve the claim': () => {
    const message =
      /^no resource class is named smal; correct spec\.classRef, or create the class; these can serve the claim: FavouriteDBInstanceClass small, FavouriteDBInstanceClass large$/;
    return given(
      called('smal'),
      [small, wrong('wrong'), large, resourceClass('gone', { deletionTimestamp })],
      reports('ClassNotFound', message),
    );
  },
  'the only class of that name is assigned, although it cannot serve the claim: binding says why': () =>
    given(called('wrong'), [wrong('wrong')], onlyNamed('wrong')),
  'ClassNotFound: two classes have the name, and neither can serve the claim': () => {
    const message =
      /^no resource class that can serve the claim is named wrong; .*; no class can serve the claim; /;
    return given(called('wrong'), [wrong('wrong')], reports('ClassNotFound', message), {
      peerClasses: [wrongPeer('wrong')],
    });
  },
  'AmbiguousClass: classes of two kinds have the name': () => {
    const message =
      /^2 resource classes are named small; add the kind and apiVersion of one to spec\.classRef: AmbivalentDBInstanceClass \(database\.ocp\.crossplane\.io\/v1alpha1\) or FavouriteDBInstanceClass \(database\.fcp\.crossplane\.io\/v1alpha3\)$/;
    return given(called('small'), [small], reports('AmbiguousClass', message), { peerClasses: [peerSmall] });
  },
  'AssignClass: a classRef with name and kind gets the class of both': () =>
    given(otherKind, [small], onlyNamed('small'), { peerClasses: [peerSmall] }),
  'ClassNotFound: a classRef with a name and another apiVersion gets no class': () => {
    const other = claim({ classRef: { name: 'small', apiVersion: 'example.org/v1' } });
    return given(other, [small], reports('ClassNotFound', /^no resource class is named small; /));
  },
  'AssignClass: the class may be of any kind': () => {
    const chosen = { ...classRef('foreign', otherClassKind), uid: 'foreign-uid' };
    const want: Want['want'] = { name: 'AssignClass', act: 'schedule', classRef: chosen };
    const message = /^selected AmbivalentDBInstanceClass foreign, the only matching resource class$/;
    const otherCloud = bySelector({ matchLabels: { cloud: 'other' } });
    return given(otherCloud, [small], { want, message }, { peerClasses: [foreign] });
  },
};

describe('scheduling decides', () => testDecisions(schedulingDecisions, scheduling, decideScheduling));

const defaulting: Cases = {
  ...shared({}),
  'NoDefaultClass: of default classes that the namespace may not have, the message has only the number':
    () => {
      const message =
        /no resource class that can serve it is the default.*; 1 of them may not be claimed from namespace team$/;
      return given(claim(), [older], reports('NoDefaultClass', message), { forbidden: ['older'] });
    },
  'H8: a claim that got a selector in between gets no default class': () =>
    given(claim({ classSelector: {} }), [older], nothing('NeedsNoClass')),
  'ReportedElsewhere: the report of another process about a missing default class is not replaced': () =>
    given(reportedOf({}, 'NoDefaultClass', third), [small], nothing('ReportedElsewhere')),
  'NoDefaultClass: NoClassesAnnotatedDefault: only exactly "true" marks a default class': () => {
    const message =
      /no resource class is the default \(the annotation must be exactly "true", and FavouriteDBInstanceClass almost has "True"\): .*is-default-class=true.*FavouriteDBInstanceClass 0 of 3/;
    const almost = asDefault('almost', '2026-01-01T00:00:00Z', 'True');
    const deliberate = asDefault('deliberate', '2026-01-01T00:00:00Z', 'false');
    return given(claim(), [almost, deliberate, small], reports('NoDefaultClass', message));
  },
  'AssignClass: Successful': () => given(claim(), [older, small], olderDefault),
  'AssignClass: a default that is being deleted is not chosen': () =>
    given(claim(), [{ ...newer, metadata: { ...newer.metadata, deletionTimestamp } }, older], olderDefault),
  'AssignClass: of several defaults the newest wins, and the event names the others': () =>
    given(
      claim(),
      [older, newer],
      defaults('newer', ', the newest default; also marked as default: FavouriteDBInstanceClass older'),
    ),
  'AssignClass: a default that cannot serve the claim is passed over, and the Event says why': () =>
    given(
      claim(),
      [wrong('wrong', isDefault), older],
      defaults('older', '; passed over: FavouriteDBInstanceClass wrong has engine "wrong"'),
    ),
  'NoDefaultClass: if no default class can serve the claim, the message says why': () => {
    const message =
      /no resource class that can serve it is the default: .* 1 of 1\); .* wrong has engine "wrong"$/;
    return given(claim(), [wrong('wrong', isDefault)], reports('NoDefaultClass', message));
  },
  'AssignClass: the newest default class of all kinds wins': () => {
    const chosen = { ...classRef('newest', otherClassKind), uid: 'newest-uid' };
    const want: Want['want'] = { name: 'AssignClass', act: 'schedule', classRef: chosen };
    const message = /^defaulted to AmbivalentDBInstanceClass newest, the newest default; /;
    return given(claim(), [older, newer], { want, message }, { peerClasses: [newest] });
  },
};

describe('defaulting decides', () => testDecisions(defaultingDecisions, defaulting, decideDefaulting));

test('only a claim without a class, a selector and a resource needs a default class', () => {
  const specs = [
    {},
    { classRef: classRef('small') },
    { classSelector: {} },
    { resourceRef: resourceRef('db') },
  ];
  const needed = specs.map((spec) => needsDefaulting(claim(spec)));
  assert.deepEqual(needed, [true, false, false, false]);
});

describe('two processes with different stacks, over one claim kind', () => {
  const ours = [{ kind: classKind, classes: [small] }];
  const otherClasses = [{ kind: otherClassKind, classes: [foreign] }];
  const long = { matchExpressions: [{ key: 'size', operator: 'In', values: Array(500).fill('huge') }] };
  const rows: Record<string, readonly [of: Claim, by: typeof decideScheduling]> = {
    scheduling: [sized('huge'), decideScheduling],
    'scheduling by a selector longer than a message': [bySelector(long), decideScheduling],
    defaulting: [claim(), decideDefaulting],
  };

  const elsewhere = { name: 'ReportedElsewhere', act: 'nothing' };
  /** The claim once a decision is carried out. */
  function reported(of: Claim, decision: ClassDecision): Claim {
    assert.equal(decision.act, 'report');
    if (decision.act !== 'report') return of;
    const { reason, message, consideredKinds = [] } = decision;
    return withClaimStatus(of, { conditions: [notReady(reason, message)], consideredKinds }, now);
  }

  for (const [name, [of, by]] of Object.entries(rows)) {
    const decide = (each: Claim, candidates: readonly Candidates[]) =>
      by({ claim: each, isHolding: false, candidates });
    test(`${name}: the second process does not replace the report of the first`, () => {
      const once = reported(of, decide(of, ours));
      assert.deepEqual(decide(once, otherClasses), elsewhere);
    });
    test(`${name}: the process that knows more kinds replaces the report once`, () => {
      const fuller = reported(of, decide(reported(of, decide(of, ours)), [...otherClasses, ...ours]));
      assert.equal(decide(fuller, ours).name, 'ReportedElsewhere');
      assert.equal(decide(fuller, otherClasses).name, 'ReportedElsewhere');
    });
    test(`${name}: kinds of one name in two groups are two kinds`, () => {
      const twin = [{ kind: { ...classKind, group: 'twin.example.org' }, classes: [] }];
      assert.deepEqual(decide(reported(of, decide(of, ours)), twin), elsewhere);
    });
    test(`${name}: a report in other words is not replaced`, () => {
      const once = reported(of, decide(of, ours));
      const conditions = [{ ...getCondition(once.status?.conditions, 'Ready'), message: 'nothing for you' }];
      const reworded = { ...once, status: { ...once.status, conditions: conditions as Condition[] } };
      assert.deepEqual(decide(reworded, otherClasses), elsewhere);
    });
    test(`${name}: an edited claim is reported again, and the number of kinds is counted again`, () => {
      const once = reported(of, decide(of, ours));
      const edited = { ...once, metadata: { ...once.metadata, generation: 4 } };
      assert.equal(decide(edited, otherClasses).act, 'report');
      assert.equal(decide(once, [{ kind: classKind, classes: [] }]).act, 'report');
    });
  }
});

test('classes and kinds are ordered by the codes of their characters: two processes of any locale agree', () => {
  const named = (name: string, kind: string) => ({ ...resourceClass(name), kind });
  const classes = [named('same', 'Database'), named('same', 'DBClass'), named('b', 'X'), named('B', 'X')];
  const ordered = newestFirst(classes).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  assert.deepEqual(ordered, ['X B', 'X b', 'DBClass same', 'Database same']);
});

describe('the draw', () => {
  const classes = Array.from({ length: 10 }, (_, i) => resourceClass(`c${i}`, { uid: `class-${i}` }));
  const draw = (uid: string) => drawClass(claim({}, { uid }), classes)?.metadata.name ?? '';

  test('Randomness: over many claims every class is drawn about as often', () => {
    const draws = Array.from({ length: 2_000 }, (_, i) => draw(`claim-${i}`));
    const counts = Object.groupBy(draws, (name) => name);
    assert.equal(Object.keys(counts).length, 10);
    for (const drawn of Object.values(counts))
      assert.ok((drawn?.length ?? 0) > 140, `drawn ${drawn?.length} of 2000`);
  });

  test('a retry, another process and another order of the classes draw the same class', () => {
    const shuffled = [...classes.slice(3), ...classes.slice(0, 3)].toReversed();
    for (const uid of ['claim-1', 'claim-2', 'claim-3']) {
      assert.equal(drawClass(claim({}, { uid }), structuredClone(shuffled))?.metadata.name, draw(uid));
    }
    assert.deepEqual(['claim-1', 'claim-2', 'claim-3'].map(draw), ['c2', 'c7', 'c8']);
  });

  test('a class that is deleted changes the draw only of the claims that drew it', () => {
    const uids = Array.from({ length: 100 }, (_, i) => `claim-${i}`);
    const fewer = classes.filter(({ metadata: { name } }) => name !== 'c0');
    const isSameDraw = (uid: string) => draw(uid) === drawClass(claim({}, { uid }), fewer)?.metadata.name;
    const moved = uids.filter((uid) => !isSameDraw(uid));
    assert.notEqual(moved.length, 0);
    const wanted = uids.filter((uid) => draw(uid) === 'c0');
    assert.deepEqual(moved, wanted);
  });

  test('a draw from no classes gives none', () => assert.equal(drawClass(claim(), []), undefined));
});

describe('a class that a claim must not get', () => {
  const why = (over: Partial<ClaimService>) => whyNotSuitable({ ...service, ...over }, claim(), small);
  const failing = (error: Error) => () => {
    throw error;
  };
  test('is one with incompatible values', () => {
    const whyIncompatible = () => 'is too small';
    assert.equal(why({ whyIncompatible }), 'FavouriteDBInstanceClass small is too small');
  });
  test('is one that configure refuses', () =>
    assert.equal(why({ configure: failing(new Error('too small')) }), 'too small'));
  test('is not one whose check has a bug: the controller that assigns the class reports the bug', () => {
    assert.equal(why({ configure: failing(new TypeError('oops')) }), undefined);
    assert.equal(why({ whyIncompatible: failing(new TypeError('oops')) }), undefined);
  });
  test('is not one without objections', () => assert.equal(why({}), undefined));
});
