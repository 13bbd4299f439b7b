/** The way of the requests to a system. `fail` and `hang` are those of a world of the kit. */
export function door() {
  let way: 'open' | 'failing' | 'hanging' = 'open';
  let output = '';
  return {
    /** Carries a request out, or answers with this failure, or never. */
    pass<T>(effect: () => T, failing: (text: string) => T, hanging: () => T): T {
      if (way === 'failing') return failing(output);
      return way === 'hanging' ? hanging() : effect();
    },
    fail(text: string): void {
      way = 'failing';
      output = text;
    },
    hang(): void {
      way = 'hanging';
    },
  };
}
