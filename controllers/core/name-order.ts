/** Orders names as Kubernetes does, by their characters' codes: the same in every process, whatever its locale. */
export const compareNames = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
