import type { Paint } from '../local/terminal/stage.ts';

/** How the parts go together, in six lines. */
export const picture = (paint: Paint): readonly string[] => [
  `  ${paint('bold', 'app team')}                                        ${paint('bold', 'cluster admin')}`,
  '  claim  ── names, or selects by labels ──▶  class',
  '    │                                          │ is the template of',
  '    │ is bound to                              ▼',
  '    └─────────────────────────────▶  managed resource  ── represents ──▶  external database',
  '  Secret  ◀───────── copied from ─────  its Secret  ◀── password and address ──┘',
];

/** An experiment for the reader. Each line is for a shell. */
export interface Experiment {
  readonly title: string;
  readonly lines: readonly string[];
  readonly see: string;
}

export interface ExperimentOptions {
  readonly kubectl: string;
  /** A claim that is bound, and its secret. */
  readonly claim: { readonly namespace: string; readonly secret: string };
  /** The URL of the emulator of Google Cloud, and a claim that shows its failure. */
  readonly google: { readonly url: string; readonly claim: string };
}

/** Three experiments. The test of the demo carries them out. */
export function experiments({ kubectl, claim, google }: ExperimentOptions): readonly Experiment[] {
  const secret = `-n ${claim.namespace} secret ${claim.secret}`;
  const faults = `${google.url}/_faults`;
  return [
    {
      title: 'Delete a secret',
      lines: [`${kubectl} delete ${secret}`, `${kubectl} get ${secret}`],
      see: 'it is back at once, with the same password',
    },
    {
      title: 'Let the emulator of Google Cloud fail, and work again',
      lines: [
        `curl -fsS -X POST -d '{"kind":"fail","status":503,"times":100000}' ${faults}`,
        `curl -fsS -X DELETE ${faults}`,
      ],
      see: `within half a minute ${google.claim} reports the failure: it stays Bound, with the reason AvailableWithTrouble; after the second line it recovers`,
    },
    {
      title: 'Edit a class',
      lines: [`${kubectl} label favouritedbinstanceclass favourite-large --overwrite size=enormous`],
      see: 'the claim team-blog/dreams, which no class matched, is given this one, and bound',
    },
  ];
}
