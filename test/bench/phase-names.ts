/** The measurements of the benchmark, in this order. */
export const phaseNames = [
  ...(['startup', 'single', 'static', 'class-ref', 'secret', 'restart', 'idle'] as const),
  ...(['deletion', 'selector', 'turns', 'image', 'simulation'] as const),
] as const;
export type PhaseName = (typeof phaseNames)[number];
