/** The measurements of the benchmark, in this order. */
export const phaseNames = [
  ...(['startup', 'single', 'static', 'class-ref', 'secret', 'restart', 'idle'] as const),
  ...(['deletion', 'selector', 'three-services', 'turns', 'image', 'simulation'] as const),
] as const;
export type PhaseName = (typeof phaseNames)[number];

/** Above this number of claims, a phase that is not about many takes too long. */
const most = 2_000;
const phasesOfManyClaims: readonly PhaseName[] = ['class-ref', 'restart', 'idle', 'deletion'];

/** The phases of a whole run. */
export const phasesFor = (claims: number): readonly PhaseName[] =>
  claims > most ? phasesOfManyClaims : phaseNames;
