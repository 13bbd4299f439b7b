import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

/*
 * The mistakes of an author, by the first layer that names them. Each has a test of its own: this table finds it. The guide
 * lists the mistakes that no layer sees: docs/adding-a-managed-service.md.
 */

const root = join(import.meta.dirname, '..', '..', '..');

/** The tests of a layer: by file, the mistake, and the name of its test or of its row there. */
type Layer = Readonly<Record<string, Readonly<Record<string, string>>>>;

const layers: Readonly<Record<string, Layer>> = {
  'the compiler': {
    'test/controllers/author/wiring.test.ts': {
      'configure sets a field that the managed kind lacks': 'configure that yields a misspelt field',
      'configure belongs to another kind': 'configure of another managed kind',
      'a client of another kind': 'an external client of another kind',
      'a client without delete': 'an external client without delete',
      'a status field that the kind lacks': 'a field of the status that there is not',
      'a connection detail that the kind does not declare': 'a detail that the kind does not declare',
      'a declared connection detail is missing': 'details without one that the kind declares',
      'a password of a kind without details': 'a password of a kind that declares none',
    },
  },
  'the start': {
    'test/package/command/old-node.test.ts': {
      'an old Node': 'an old Node prints which Node is needed',
    },
    'test/controllers/author/check-stacks.test.ts': {
      'two kinds with one plural': 'two kinds have one plural',
      'a claim kind in place of a managed kind': 'a claim kind is in place of a managed kind',
      'a kind without a group': 'a kind has no group',
      'a stack of another version of the package': 'with both versions',
    },
    'test/controllers/wiring.test.ts': {
      'a password without characters': 'no length',
      'an alphabet of one character': 'an alphabet that repeats',
      'a deadline in seconds': 'a call of 90, meant as seconds',
      'a reference to a kind without a controller': 'a reference to a kind that no controller manages',
    },
    'test/apis/generate.test.ts': {
      'a field without a description': 'a field without a description is refused by its path',
    },
    'test/cluster/foreign-definition.ts': {
      'a definition of another package that lacks a field':
        'a process names the fields that a foreign definition lacks, works on, and takes it over',
    },
  },
  'the kit': {
    'test/testing/broken-clients.test.ts': {
      'observe changes something': 'sets back in observe what differs',
      'a failure counts as absence': 'takes a 500 for absence',
      'an empty answer counts as absence': 'takes an empty answer for absence',
      'create makes a second thing': 'makes another where one is already',
      'a lost answer makes a second thing': 'gives each attempt a name of its own',
      'update never ends': 'is not content with what it made',
      'a thing of another owner is changed': 'changes a resource that has another owner by now',
      'a thing of another owner is deleted': 'deletes a resource of another owner',
      'details of another owner are published': 'publishes how to reach a box of another owner',
      'a resource that was only observed is never changed': 'never changes what it once only observed',
      'an error differs each time': 'counts its requests in its errors',
      'an error has the password': 'tells the password in an error',
      'a status field that the definition lacks': 'tells in the status what the definition does not know',
      'delete fails if nothing is there':
        'takes for an error that what was never made is not there when it is deleted',
      'delete is called once only': 'deletes no more what is gone',
      'a deletion is known to one process only': 'forgets with the process what it has begun to delete',
      'a declared detail is never published': 'publishes no endpoint',
      'a detail that is gone stays in the Secret': 'does not say that there is a seal no more',
      'a detail has the previous password': 'reports what contains the password of before',
      'a password that does not work counts as in force': 'says of every password that it works',
      'ownership is known to one process only': 'knows its own by what it made itself',
      'a name that tags can change': 'gives a box to whom its tags name',
      'long names are cut': 'cuts long names',
      'a resource is found by a field that can be edited': 'finds a thing by what can be edited',
      'a resource that exists counts as created': 'says nothing of what it found in place of creating it',
      'observe needs all fields': 'cannot look without knowing what to look for',
      'values are compared in another form': 'compares what was asked for with what the system made of it',
      'late values are returned in another form': 'tells what was chosen otherwise than it compares it',
      'an absent field counts as 0': 'takes a field without a value for 0',
      'observe returns the values that were sent': 'believes what it has sent',
      'an immutable field is not compared': 'does not look at what cannot be changed',
      'a failure counts as the end of an operation': 'takes a system that fails for the end of an operation',
      'an error has control characters': 'repeats what a system writes to terminals',
      'an error quotes the credentials': 'repeats the beginning of credentials that it cannot read',
      'a call ignores its signal': 'keeps its signal to itself',
    },
    'test/testing/rule-limit.test.ts': {
      'a call that hangs': 'of a client that ignores its signal',
    },
  },
  'a condition': {
    'test/controllers/author/border.test.ts': {
      'observe returns undefined': 'an observation that is undefined',
      'a misspelt field of an answer': 'a misspelt field',
      'a field that was spread into an answer': 'a field of the answer of a cloud, which was spread',
      'ready is true': 'ready as true',
      'a BigInt': 'a BigInt in the status',
      'a circular value': 'a circular status',
      '3 MB': 'a status of 3 MB',
      'a detail that is a number': 'a detail that is a number',
      'a status field of another type': 'a status field of another type',
      'create returns undefined': 'a creation that is undefined',
      'update returns a text': 'an update that is text',
      'a name that is a number': 'a name that is a number',
      'the system is a number': 'the system as a number',
      'planned details are numbers': 'planned details that are numbers',
      'facts are a promise': 'facts that are a promise',
      'a client without create, as any': 'a client without create',
      'poll returns an unknown state': 'an operation of an unknown state',
      'connect returns undefined': 'a connection that is undefined',
      'a text is thrown': ' that is thrown in place of an Error',
      'configure returns a promise': 'a promise',
      'configure changes the class': 'a change of the class',
      'observe changes the resource': 'a change of what it got',
      'parse quotes its text': 'although parse quotes ',
      'parse returns nothing': 'a parse that returns nothing is a bug of the stack',
    },
    'test/controllers/managed/effect.test.ts': {
      'create succeeds and creates nothing':
        'a creation that never shows is reported after five minutes, until it shows',
      'update succeeds and changes nothing':
        'an update that never shows is reported after five minutes, until it shows',
      'delete succeeds and deletes nothing': 'a deletion that has no effect is reported after five minutes',
      'a password is accepted and never in force':
        'a credential that the external system does not take is reported, and is not set again at once',
    },
    'test/controllers/managed/connecting/hanging-calls.test.ts': {
      'a call that does not end':
        ' ends for the controllers after its deadline, with a condition that names it',
    },
  },
  'the log': {
    'test/controllers/author/border.test.ts': {
      'an unknown field of the status': 'an unknown field of the status is left out, and logged once',
    },
  },
};

describe('a mistake of an author', () => {
  for (const [layer, files] of Object.entries(layers)) {
    for (const [file, mistakes] of Object.entries(files)) {
      const source = readFileSync(join(root, file), 'utf8');
      for (const [mistake, name] of Object.entries(mistakes)) {
        test(`is named by ${layer}: ${mistake}`, () => {
          const named = [`'${name}`, `${name}'`, `${name}\``, `\`${name}`, `${name}"`];
          assert.ok(
            named.some((text) => source.includes(text)),
            `${file} has no "${name}"`,
          );
        });
      }
    }
  }

  test('has one of at least 30 forms', () => {
    const all = Object.values(layers).flatMap((files) => Object.values(files).flatMap(Object.keys));
    assert.ok(new Set(all).size >= 30 && new Set(all).size === all.length, `${all.length} mistakes`);
  });
});
