import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import type { GeneratedCredential } from '../../controllers/credential.ts';
import { generatedPassword } from '../../controllers/credential.ts';
import type { ServiceLimits } from '../../controllers/service-limits.ts';
import type { StackParts } from '../../controllers/wiring.ts';
import { checkWiring } from '../../controllers/wiring.ts';
import { otherManagedKind, otherService, managedKind as own, service } from './objects.ts';

const network: Kind = { ...own, kind: 'Network', plural: 'networks' };
const right: StackParts = { name: 'fcp', managed: [{ kind: own }], claims: [service] };
const fcp = 'FavouriteDBInstance.database.fcp.crossplane.io';
const ocp = 'AmbivalentDBInstance.database.ocp.crossplane.io';
const sql = 'FancySQLInstance.database.crossplane.io';

const enough = 'and 64 are needed. Increase its length or its alphabet';
const guessable: readonly (readonly [what: string, credential: GeneratedCredential, problem: string])[] = [
  [
    'a password without characters',
    { ...generatedPassword, length: 0 },
    `can be guessed: 0 of 64 characters are 0 bits, ${enough}`,
  ],
  [
    'a length that is no number',
    { ...generatedPassword, length: Number.NaN },
    `can be guessed: NaN of 64 characters are NaN bits, ${enough}`,
  ],
  [
    'one character less than enough',
    { ...generatedPassword, length: 10 },
    `can be guessed: 10 of 64 characters are 60 bits, ${enough}`,
  ],
  [
    'an empty alphabet',
    { ...generatedPassword, alphabet: '' },
    `can be guessed: 32 of 0 characters are 0 bits, ${enough}`,
  ],
  [
    'an alphabet that repeats a character',
    { ...generatedPassword, length: 99, alphabet: 'aab' },
    'has an alphabet that repeats a character',
  ],
  ['an empty key', { ...generatedPassword, key: '' }, 'has no key'],
];

const wholeMs = (from: number) => `which must be a whole number from ${from} to 86400000`;
const wrongLimits: readonly (readonly [what: string, limits: ServiceLimits, problem: string])[] = [
  ['a call of 90, meant as seconds', { limits: { callMs: 90 } }, `limits.callMs 90, ${wholeMs(1_000)}`],
  ['a call without end', { limits: { callMs: Infinity } }, `limits.callMs Infinity, ${wholeMs(1_000)}`],
  [
    'a call that is longer than a timer',
    { limits: { callMs: 2 ** 31 } },
    `limits.callMs 2147483648, ${wholeMs(1_000)}`,
  ],
  [
    'a call that is text',
    { limits: { callMs: '5m' as unknown as number } },
    `limits.callMs 5m, ${wholeMs(1_000)}`,
  ],
  ['a negative grace', { creationGraceMs: -1 }, `creationGraceMs -1, ${wholeMs(0)}`],
  ['an absence that is no number', { confirmAbsenceMs: Number.NaN }, `confirmAbsenceMs NaN, ${wholeMs(0)}`],
  [
    'names that are too short for a hash',
    { names: { maxLength: 6 } },
    'names.maxLength 6, which must be a whole number from 7 to 1000000',
  ],
];

describe('stacks that do not go together end the start, and both are named', () => {
  const rows: Readonly<
    Record<string, readonly [stacks: readonly StackParts[], problems: readonly string[]]>
  > = {
    'a stack by itself is right': [[right], []],
    'so are two that satisfy one claim kind': [
      [right, { name: 'ocp', managed: [{ kind: otherManagedKind }], claims: [otherService] }],
      [],
    ],
    'one may satisfy claims with what another manages': [
      [
        { ...right, claims: [] },
        { name: 'claims', managed: [], claims: [service] },
      ],
      [],
    ],
    'two of one name': [[right, { name: 'fcp', managed: [], claims: [] }], ['2 stacks are named "fcp"']],
    'one managed kind in two stacks': [
      [right, { name: 'copy', managed: [{ kind: own }], claims: [] }],
      [`${fcp} is managed twice, by stack "fcp" and "copy"`],
    ],
    'one managed kind in one stack twice, in another version': [
      [{ ...right, managed: [{ kind: own }, { kind: { ...own, version: 'v1' } }] }],
      [`${fcp} is managed twice, by stack "fcp" and "fcp"`],
    ],
    'one claim kind twice for one managed kind': [
      [{ ...right, claims: [service, service] }],
      [`${sql} is satisfied by ${fcp} twice, in stack "fcp" and "fcp"`],
    ],
    'a claim whose managed kind no controller manages': [
      [{ ...right, claims: [service, otherService] }],
      [`stack "fcp": ${sql} is satisfied by ${ocp}, which no stack manages`],
    ],
    'a reference to a kind that no controller manages': [
      [{ ...right, managed: [{ kind: own, references: [{ field: 'networkId', to: network }] }] }],
      [
        `stack "fcp": networkId of ${fcp} refers to Network.database.fcp.crossplane.io, which no stack manages`,
      ],
    ],
    ...Object.fromEntries(
      guessable.map(([what, credential, problem]) => [
        `a credential with ${what}`,
        [
          [{ ...right, managed: [{ kind: own, secretDetails: { credential } }] }],
          [`stack "fcp": the credential of ${fcp} ${problem}`],
        ],
      ]),
    ),
    ...Object.fromEntries(
      wrongLimits.map(([what, limits, problem]) => [
        what,
        [
          [{ ...right, managed: [{ kind: own, ...limits }] }],
          [`stack "fcp": the service of ${fcp} has ${problem}`],
        ],
      ]),
    ),
    'limits that are possible': [
      [
        {
          ...right,
          managed: [
            {
              kind: own,
              limits: { callMs: 300_000 },
              creationGraceMs: 0,
              confirmAbsenceMs: 0,
              names: { maxLength: 40 },
            },
          ],
        },
      ],
      [],
    ],
    'all at once': [
      [
        { ...right, claims: [otherService] },
        { ...right, claims: [] },
      ],
      [
        '2 stacks are named "fcp"',
        `${fcp} is managed twice, by stack "fcp" and "fcp"`,
        `stack "fcp": ${sql} is satisfied by ${ocp}, which no stack manages`,
      ],
    ],
  };
  for (const [name, [stacks, problems]] of Object.entries(rows)) {
    test(name, () => {
      if (problems.length === 0) checkWiring(stacks);
      else assert.throws(() => checkWiring(stacks), { name: 'WiringError', message: problems.join('\n') });
    });
  }
});
