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
 * The heights at which the nodes of each column begin, from 0. They stay as laid out, so that arrows are straight. If that
 * takes much more room than the longest column, each column is stacked from the top: otherwise most of the picture is empty.
 */
export function stacked(
  laidOut: readonly (readonly number[])[],
  step: number,
): readonly (readonly number[])[] {
  const least = Math.min(...laidOut.flat());
  const most = Math.max(...laidOut.flat());
  const longest = Math.max(...laidOut.map(({ length }) => length));
  if (most - least + step <= longest * step * mostSlack) {
    return laidOut.map((column) => column.map((y) => y - least));
  }
  return laidOut.map((column) => {
    const order = column.toSorted((a, b) => a - b);
    return column.map((y) => order.indexOf(y) * step);
  });
}

/** How much higher than its longest column a picture may be. */
const mostSlack = 1.25;
