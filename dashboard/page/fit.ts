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
  const sum = (widths: readonly number[]): number => widths.reduce((total, width) => total + width, 0);
  let limit = Math.max(...wanted);
  while (limit > least && sum(upTo(limit)) > room) limit -= 1;
  return upTo(limit);
}
