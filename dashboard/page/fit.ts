/**
 * A name that fits into the room: whole, or without its middle. Names often share their beginning and differ at the end, so
 * most of the kept text is the end.
 */
export function middleCut(name: string, room: number, widthOf: (text: string) => number): string {
  if (widthOf(name) <= room) return name;
  let [least, most] = [1, name.length - 1];
  const keeping = (count: number): string => {
    const tail = Math.ceil(count * 0.6);
    return `${name.slice(0, count - tail)}…${name.slice(name.length - tail)}`;
  };
  while (least < most) {
    const count = Math.ceil((least + most) / 2);
    if (widthOf(keeping(count)) <= room) least = count;
    else most = count - 1;
  }
  return keeping(least);
}

/** The width of each column: as wanted if there is room; otherwise the widest columns shrink, at most to `least`. */
export function columnWidths(wanted: readonly number[], room: number, least: number): readonly number[] {
  const upTo = (limit: number): readonly number[] => wanted.map((width) => Math.min(width, limit));
  let limit = Math.max(...wanted);
  while (limit > least && total(upTo(limit)) > room) limit -= 1;
  return upTo(limit);
}

/** Widths that take the rest of the room towards wider ones, each by the same part of what it lacks. */
export function grown(widths: readonly number[], wider: readonly number[], room: number): readonly number[] {
  const lacking = widths.map((width, i) => Math.max(0, (wider[i] ?? 0) - width));
  const lack = total(lacking);
  if (lack === 0) return widths;
  const part = Math.max(0, Math.min(1, (room - total(widths)) / lack));
  return widths.map((width, i) => width + Math.floor(part * (lacking[i] ?? 0)));
}

export const total = (widths: readonly number[]): number => widths.reduce((sum, width) => sum + width, 0);

/**
 * The row of each node, from 0. Columns are classes, claims, resources and providers, each a list of ids. `order` is the
 * place of a node by itself. A chain comes as early as its first node; and each node is in the row of the first node that
 * it is linked with, or below it.
 */
export function rowsOf(
  [classes = [], claims = [], resources = [], providers = []]: readonly (readonly string[])[],
  edges: readonly { readonly from: string; readonly to: string }[],
  order: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const linked = new Map<string, string[]>();
  for (const { from, to } of edges) {
    linked.set(from, [...(linked.get(from) ?? []), to]);
    linked.set(to, [...(linked.get(to) ?? []), from]);
  }
  const chained = new Set([...claims, ...resources]);
  const own = (id: string): number => order.get(id) ?? 0;
  const first = (id: string): number =>
    Math.min(own(id), ...(linked.get(id) ?? []).filter((each) => chained.has(each)).map(own));
  const rows = new Map<string, number>();
  for (const column of [claims, resources, classes, providers]) {
    let next = 0;
    for (const id of column.toSorted((a, b) => first(a) - first(b) || own(a) - own(b))) {
      const besides = (linked.get(id) ?? []).flatMap((each) => rows.get(each) ?? []);
      const row = besides.length === 0 ? next : Math.max(next, Math.min(...besides));
      rows.set(id, row);
      next = row + 1;
    }
  }
  return rows;
}
