import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { wrapped } from '../../trace/show/lines.ts';

const mark = 'services-stack: 306186f0b4c5d6e7f8091a2b3c4d5e6f';
const adopt = `COMMENT ON ROLE "mark_16" IS '${mark}'`;
const annotate =
  'kubectl annotate postgresqldatabase.database.postgresql.crossplane.io orders --overwrite crossplane.io/adopt-identity=or-create';

/** Widths at which a line ends within each of these commands. */
const widths = [20, 40, 60, 80, 120];

describe('a command or statement in a message has a line of its own, at each width', () => {
  const cases: Readonly<Record<string, readonly [text: string, commands: readonly string[], rest: string]>> =
    {
      'a statement with a blank in its literal': [
        `role "mark_16" exists, and no resource manages it; to adopt it, run: ${adopt}.`,
        [adopt],
        'role "mark_16" exists, and no resource manages it; to adopt it, run:',
      ],
      'a quoted name with a blank, a semicolon and a full stop': [
        `it is open; run: DROP SUBSCRIPTION "a; b. C ""d"" 'e"; to keep it, set spec.deletionPolicy: Orphan.`,
        [`DROP SUBSCRIPTION "a; b. C ""d"" 'e"`],
        'it is open; run: To keep it, set spec.deletionPolicy: Orphan.',
      ],
      'a command of kubectl before another sentence': [
        `it is lost. Or, to have an empty one created: ${annotate}. Ask the team first`,
        [annotate],
        'it is lost. Or, to have an empty one created: Ask the team first',
      ],
      'a command of aws before another sentence': [
        'it was renamed; to name it back, run in its region: aws rds modify-db-instance --db-instance-identifier store --new-db-instance-identifier shop --apply-immediately. Or ask the team first',
        [
          'aws rds modify-db-instance --db-instance-identifier store --new-db-instance-identifier shop --apply-immediately',
        ],
        'it was renamed; to name it back, run in its region: Or ask the team first',
      ],
      'several statements': [
        'run as "boss": GRANT CONNECT ON DATABASE "a b" TO "c"; REVOKE CONNECT ON DATABASE "a b" FROM PUBLIC; or ask',
        ['GRANT CONNECT ON DATABASE "a b" TO "c"', 'REVOKE CONNECT ON DATABASE "a b" FROM PUBLIC'],
        'run as "boss": Or ask',
      ],
      'a transaction': [
        'to name it back, run: BEGIN; ALTER ROLE "a" RENAME TO "b"; COMMIT. Or, to use it, set the annotation',
        ['BEGIN', 'ALTER ROLE "a" RENAME TO "b"', 'COMMIT'],
        'to name it back, run: Or, to use it, set the annotation',
      ],
      'one of two statements': [
        "run in that database: COMMIT PREPARED 'half way'; or: ROLLBACK PREPARED 'half way'.",
        ["COMMIT PREPARED 'half way'", "ROLLBACK PREPARED 'half way'"],
        'run in that database: Or:',
      ],
      'a word with an apostrophe for a shell': [
        String.raw`look: kubectl delete secrets 'a'\''s b'; then wait`,
        [String.raw`kubectl delete secrets 'a'\''s b'`],
        'look: Then wait',
      ],
      'a statement that was cut': [
        'to adopt it, run: COMMENT ON ROLE "a" IS \'services-stack: 3061…',
        ['COMMENT ON ROLE "a" IS \'services-stack: 3061…'],
        'to adopt it, run:',
      ],
    };
  for (const [rule, [text, commands, rest]] of Object.entries(cases))
    test(rule, () => {
      for (const width of widths) {
        const lines = wrapped(text, width, '  ');
        assert.deepEqual(
          lines.filter((line) => line.startsWith('    ')).map((line) => line.trim()),
          commands,
        );
        const others = lines.filter((line) => !line.startsWith('    ')).map((line) => line.trim());
        assert.equal(others.join(' '), rest);
      }
    });
});

test('a line never ends within quotes', () => {
  assert.deepEqual(wrapped('database "my own orders" has the owner "some body else" there', 20), [
    'database',
    '"my own orders" has',
    'the owner',
    '"some body else"',
    'there',
  ]);
});

test('a text without a command is broken between words only', () => {
  assert.deepEqual(wrapped("the claim's Secret; see the resource's Secret", 18, '> ', '  '), [
    "> the claim's",
    '  Secret; see the',
    "  resource's",
    '  Secret',
  ]);
});
