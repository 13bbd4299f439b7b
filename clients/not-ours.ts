import { advice } from './advice.ts';
import type { ServerErrorOptions } from './server-error.ts';

/** Lets the message explain how to adopt something without a mark. `consequence`: the effect of the adoption. */
export interface Adoption {
  readonly consequence?: string | undefined;
  /** Whether the resource names the claim that gets the data. */
  readonly isReserved?: boolean;
}

/** The remedies in a message. Without `adoption`, and unless the name is fixed, it is to choose another name. */
export interface Remedies<A extends Adoption = Adoption> {
  readonly adoption?: A | undefined;
  readonly isNameFixed?: boolean;
}

/** The arguments of the error that a client of a server throws. */
type NotOurs = readonly [
  message: string,
  options: { readonly code: 'NotOurs' } & Pick<ServerErrorOptions<string>, 'advice' | 'holder'>,
];

/** Something on a shared server that has the name of a resource and no mark. */
export interface Unmarked {
  readonly kind: 'database' | 'role' | 'user';
  /** As a message has it: `database "shop"`. */
  readonly what: string;
  /** Writes the mark. */
  readonly statement: string;
}

/** The refusal of something without a mark. */
export function unmarked(
  { kind, what, statement }: Unmarked,
  ownerId: string,
  { adoption, isNameFixed = false }: Remedies,
): NotOurs {
  const todo = adoption === undefined ? advice.chooseExternalName : howToAdopt(kind, adoption, statement);
  return [
    `${what} exists and is not managed by ${ownerId}${isNameFixed ? '' : `; ${todo}`}`,
    {
      code: 'NotOurs',
      advice: { kinds: adoption === undefined ? ['ChooseExternalName'] : ['ChooseExternalName', 'HandOver'] },
      holder: { by: 'Nobody' },
    },
  ];
}

const howToAdopt = (
  kind: Unmarked['kind'],
  { consequence, isReserved = false }: Adoption,
  statement: string,
): string =>
  kind === 'database'
    ? advice.adopt(!isReserved, consequence === undefined ? '' : ` (${consequence})`, statement)
    : advice.adoptRole(consequence === undefined ? '' : `, and ${consequence}`, statement);

/** The refusal of something with the mark of another resource, which the message does not name. */
export const markedByAnother = (what: string, ownerId: string): NotOurs => [
  `${what} is managed by another resource, not by ${ownerId}; ${advice.chooseExternalName}; ${advice.createRetainedAgain}`,
  { code: 'NotOurs', advice: { kinds: ['ChooseExternalName'] }, holder: { by: 'AnotherResource' } },
];
