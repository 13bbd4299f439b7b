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
  options: { readonly code: 'NotOurs'; readonly errorClass: 'Conflict' } & Pick<
    ServerErrorOptions<string>,
    'advice' | 'holder'
  >,
];

/** Something on a shared server that has the name of a resource, and is not its own. */
export interface Foreign {
  /** The word of the server: `database`, `role`, `user`. */
  readonly kind: string;
  /** As a message has it: `database "shop"`. */
  readonly what: string;
  /** Whether it has the mark of another resource. */
  readonly isMarked: boolean;
  /** Writes the mark. */
  readonly statement: string;
}

/** The refusal of something that `ownerId` does not own. It never names another owner. */
export function notOurs(
  { kind, what, isMarked, statement }: Foreign,
  ownerId: string,
  { adoption, isNameFixed = false }: Remedies,
): NotOurs {
  if (isMarked) {
    return [
      `${what} is managed by another resource, not by ${ownerId}; ${advice.chooseExternalName}; ${advice.createRetainedAgain}`,
      {
        code: 'NotOurs',
        errorClass: 'Conflict',
        advice: { kinds: ['ChooseExternalName'] },
        holder: { by: 'AnotherResource' },
      },
    ];
  }
  const todo = adoption === undefined ? advice.chooseExternalName : howToAdopt(kind, adoption, statement);
  return [
    `${what} exists and is not managed by ${ownerId}${isNameFixed ? '' : `; ${todo}`}`,
    {
      code: 'NotOurs',
      errorClass: 'Conflict',
      advice: { kinds: adoption === undefined ? ['ChooseExternalName'] : ['ChooseExternalName', 'HandOver'] },
      holder: { by: 'Nobody' },
    },
  ];
}

const howToAdopt = (
  kind: string,
  { consequence, isReserved = false }: Adoption,
  statement: string,
): string =>
  kind === 'database'
    ? advice.adopt(!isReserved, consequence === undefined ? '' : ` (${consequence})`, statement)
    : advice.adoptRole(consequence === undefined ? '' : `, and ${consequence}`, statement);
