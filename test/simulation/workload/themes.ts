import { classes, providersAndCredentials } from './administrators.ts';
import { grants, networks, staticResources } from './by-hand.ts';
import { closeCalls } from './close-calls.ts';
import { force, restores, rivals } from './disasters.ts';
import type { Draft } from './draft.ts';
import { fieldWalks } from './field-walks.ts';
import { machines } from './machines.ts';
import { claims } from './people.ts';

/** Something that goes on in some scenarios and not in others: where everything happens at once, little comes of it. */
export interface Theme {
  readonly name: string;
  /** In how many of all scenarios, from 0 to 1. */
  readonly share: number;
  readonly write: (draft: Draft) => void;
}

/** In the order in which they are written: later ones take up what earlier ones made. */
const themes: readonly Theme[] = [
  { name: 'claims', share: 0.85, write: claims },
  { name: 'classes', share: 0.2, write: classes },
  { name: 'static resources', share: 0.2, write: staticResources },
  { name: 'networks', share: 0.1, write: networks },
  { name: 'grants', share: 0.1, write: grants },
  { name: 'providers', share: 0.15, write: providersAndCredentials },
  { name: 'force', share: 0.1, write: force },
  { name: 'rivals', share: 0.1, write: rivals },
  { name: 'restores', share: 0.1, write: restores },
  { name: 'field walks', share: 0.7, write: fieldWalks },
  { name: 'machines', share: 0.9, write: machines },
];

/** A theme of its own: nothing else goes on. */
const closeCall: Theme = { name: 'close calls', share: 0.4, write: closeCalls };

export const isCloseCall = (draft: Draft): boolean => draft.has(closeCall.share, 'theme', closeCall.name);

/** The themes of a seed's scenario. */
export const themesOf = (draft: Draft): readonly Theme[] =>
  isCloseCall(draft) ? [closeCall] : themes.filter(({ name, share }) => draft.has(share, 'theme', name));
