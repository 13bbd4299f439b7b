import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

/*
 * The mistakes of an author, by the first layer that names them. Each has a test of its own: this table finds it. The guide
 * lists the mistakes that no layer sees: docs/adding-a-managed-service.md.
 */

const root = join(import.meta.dirname, '..', '..', '..');
const wiring = 'test/controllers/author/wiring.test.ts';
const start = 'test/controllers/wiring.test.ts';
const stacks = 'test/controllers/author/check-stacks.test.ts';
const border = 'test/controllers/author/border.test.ts';
const effect = 'test/controllers/managed/effect.test.ts';
const hanging = 'test/controllers/managed/connecting/hanging-calls.test.ts';
const kit = 'test/testing/broken-clients.test.ts';

/** By mistake: the file, and the name of the test or of its row there. */
type Mistakes = Readonly<Record<string, readonly [file: string, name: string]>>;

const layers: Readonly<Record<string, Mistakes>> = {
  'the compiler': {
    'configure sets a field that the managed kind lacks': [wiring, 'configure that yields a misspelt field'],
    'configure belongs to another kind': [wiring, 'configure of another managed kind'],
    'a client of another kind': [wiring, 'an external client of another kind'],
    'a client without delete': [wiring, 'an external client without delete'],
    'a status field that the kind lacks': [wiring, 'a field of the status that there is not'],
    'a connection detail that the kind does not declare': [wiring, 'a detail that the kind does not declare'],
    'a declared connection detail is missing': [wiring, 'details without one that the kind declares'],
    'a password of a kind without details': [wiring, 'a password of a kind that declares none'],
  },
  'the start': {
    'an old Node': ['test/package/command/old-node.test.ts', 'an old Node gets a sentence'],
    'two kinds with one plural': [stacks, 'two kinds have one plural'],
    'a claim kind in place of a managed kind': [stacks, 'a claim kind is in place of a managed kind'],
    'a kind without a group': [stacks, 'a kind has no group'],
    'a stack of another version of the package': [stacks, 'with both versions'],
    'a password without characters': [start, 'no length'],
    'an alphabet of one character': [start, 'an alphabet that repeats'],
    'a deadline in seconds': [start, 'a call of 90, meant as seconds'],
    'a reference to a kind without a controller': [start, 'a reference to a kind that no controller manages'],
    'a field without a description': [
      'test/apis/generate.test.ts',
      'a field without a description is refused by its path',
    ],
    'a definition of another package that lacks a field': [
      'test/cluster/foreign-definition.ts',
      'a process names the fields that a foreign definition lacks, works on, and takes it over',
    ],
  },
  'the kit': {
    'observe changes something': [kit, 'sets back in observe what differs'],
    'a failure counts as absence': [kit, 'takes a 500 for absence'],
    'an empty answer counts as absence': [kit, 'takes an empty answer for absence'],
    'create makes a second thing': [kit, 'makes another where one is already'],
    'a lost answer makes a second thing': [kit, 'gives each attempt a name of its own'],
    'update never ends': [kit, 'is not content with what it made'],
    'a thing of another owner is changed': [kit, 'changes a resource that has another owner by now'],
    'a thing of another owner is deleted': [kit, 'deletes a resource of another owner'],
    'details of another owner are published': [kit, 'publishes how to reach a box of another owner'],
    'a resource that was only observed is never changed': [kit, 'never changes what it once only observed'],
    'an error differs each time': [kit, 'counts its requests in its errors'],
    'an error has the password': [kit, 'tells the password in an error'],
    'a status field that the definition lacks': [
      kit,
      'tells in the status what the definition does not know',
    ],
    'delete fails if nothing is there': [
      kit,
      'takes for an error that what was never made is not there when it is deleted',
    ],
    'delete is called once only': [kit, 'deletes no more what is gone'],
    'a deletion is known to one process only': [kit, 'forgets with the process what it has begun to delete'],
    'a declared detail is never published': [kit, 'publishes no endpoint'],
    'a detail that is gone stays in the Secret': [kit, 'does not say that there is a seal no more'],
    'a detail has the previous password': [kit, 'reports what contains the password of before'],
    'a password that does not work counts as in force': [kit, 'says of every password that it works'],
    'ownership is known to one process only': [kit, 'knows its own by what it made itself'],
    'a name that tags can change': [kit, 'gives a box to whom its tags name'],
    'long names are cut': [kit, 'cuts long names'],
    'a resource is found by a field that can be edited': [kit, 'finds a thing by what can be edited'],
    'a resource that exists counts as created': [
      kit,
      'says nothing of what it found in place of creating it',
    ],
    'observe needs all fields': [kit, 'cannot look without knowing what to look for'],
    'values are compared in another form': [
      kit,
      'compares what was asked for with what the system made of it',
    ],
    'late values are returned in another form': [kit, 'tells what was chosen otherwise than it compares it'],
    'an absent field counts as 0': [kit, 'takes a field without a value for 0'],
    'observe returns the values that were sent': [kit, 'believes what it has sent'],
    'an immutable field is not compared': [kit, 'does not look at what cannot be changed'],
    'a failure counts as the end of an operation': [
      kit,
      'takes a system that fails for the end of an operation',
    ],
    'an error has control characters': [kit, 'repeats what a system writes to terminals'],
    'an error quotes the credentials': [kit, 'repeats the beginning of credentials that it cannot read'],
    'a call ignores its signal': [kit, 'keeps its signal to itself'],
    'a call that hangs': ['test/testing/rule-limit.test.ts', 'of a client that ignores its signal'],
  },
  'a condition': {
    'observe returns undefined': [border, 'an observation that is undefined'],
    'a misspelt field of an answer': [border, 'a misspelt field'],
    'a field that was spread into an answer': [border, 'a field of the answer of a cloud, which was spread'],
    'ready is true': [border, 'ready as true'],
    'a BigInt': [border, 'a BigInt in the status'],
    'a circular value': [border, 'a circular status'],
    '3 MB': [border, 'a status of 3 MB'],
    'a detail that is a number': [border, 'a detail that is a number'],
    'a status field of another type': [border, 'a status field of another type'],
    'create returns undefined': [border, 'a creation that is undefined'],
    'update returns a text': [border, 'an update that is text'],
    'a name that is a number': [border, 'a name that is a number'],
    'the system is a number': [border, 'the system as a number'],
    'planned details are numbers': [border, 'planned details that are numbers'],
    'facts are a promise': [border, 'facts that are a promise'],
    'a client without create, as any': [border, 'a client without create'],
    'create succeeds and creates nothing': [
      effect,
      'a creation that never shows is reported after five minutes, until it shows',
    ],
    'update succeeds and changes nothing': [
      effect,
      'an update that never shows is reported after five minutes, until it shows',
    ],
    'delete succeeds and deletes nothing': [
      effect,
      'a deletion that has no effect is reported after five minutes',
    ],
    'a password is accepted and never in force': [
      effect,
      'a credential that the external system does not take is reported, and is not set again at once',
    ],
    'poll returns an unknown state': [border, 'an operation of an unknown state'],
    'connect returns undefined': [border, 'a connection that is undefined'],
    'a text is thrown': [border, ' that is thrown in place of an Error'],
    'configure returns a promise': [border, 'a promise'],
    'configure changes the class': [border, 'a change of the class'],
    'observe changes the resource': [border, 'a change of what it got'],
    'parse quotes its text': [border, 'although parse quotes '],
    'parse returns nothing': [border, 'a parse that returns nothing is a bug of the stack'],
    'a call that does not end': [
      hanging,
      ' ends for the controllers after its deadline, with a condition that names it',
    ],
  },
  'the log': {
    'an unknown field of the status': [border, 'an unknown field of the status is left out, and logged once'],
  },
};

describe('a mistake of an author', () => {
  for (const [layer, mistakes] of Object.entries(layers)) {
    for (const [mistake, [file, name]] of Object.entries(mistakes)) {
      test(`is named by ${layer}: ${mistake}`, () => {
        const source = readFileSync(join(root, file), 'utf8');
        const named = [`'${name}`, `${name}'`, `${name}\``, `\`${name}`, `${name}"`];
        assert.ok(
          named.some((text) => source.includes(text)),
          `${file} has no "${name}"`,
        );
      });
    }
  }

  test('has one of at least 30 forms', () => {
    const all = Object.values(layers).flatMap((mistakes) => Object.keys(mistakes));
    assert.ok(new Set(all).size >= 30 && new Set(all).size === all.length, `${all.length} mistakes`);
  });
});
