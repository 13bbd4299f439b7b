/** Items that wait. Each implementation has its own order. */
export interface Line<T> {
  add(item: T): void;
  /** Removes and returns the next item; undefined: no item waits. */
  take(): T | undefined;
}

/** Items that wait in groups, for example calls in namespaces. */
export interface TurnsByGroup<T> extends Pick<Line<T>, 'take'> {
  add(group: string, item: T): void;
  /** The groups in memory. A group without items is forgotten when its next turn comes. */
  readonly groups: number;
}

/**
 * The groups take turns: one item each, however many items of a group wait (fair queueing, as in the API server's priority
 * and fairness). So a group with few items waits for one item of each other group. `createLine` returns the order within a
 * group. The cost of adding and taking does not depend on the number of items or groups.
 */
export function turnsByGroup<T>(createLine: () => Line<T>): TurnsByGroup<T> {
  const lines = new Map<string, Line<T>>();
  /** The groups of `lines`; the group with the next turn is first. */
  const rotation = firstInFirstOut<string>();
  return {
    get groups() {
      return lines.size;
    },
    add(group, item) {
      let line = lines.get(group);
      if (line === undefined) {
        line = createLine();
        lines.set(group, line);
        rotation.add(group);
      }
      line.add(item);
    },
    take() {
      for (let group = rotation.take(); group !== undefined; group = rotation.take()) {
        const item = lines.get(group)!.take();
        if (item !== undefined) {
          rotation.add(group); // guard: otherwise a group loses its turns
          return item;
        }
        lines.delete(group); // guard: otherwise each group that ever waited takes memory
      }
      return undefined;
    },
  };
}

/** A first-in, first-out line. It skips items that no longer wait. */
export function firstInFirstOut<T>(isWaiting: (item: T) => boolean = () => true): Line<T> {
  let items: T[] = [];
  let head = 0;
  return {
    add: (item) => void items.push(item),
    take() {
      while (head < items.length && !isWaiting(items[head]!)) head += 1;
      const item = items[head];
      head += 1;
      if (head >= items.length || (head > 1024 && head * 2 > items.length)) {
        items = items.slice(head);
        head = 0;
      }
      return item;
    },
  };
}
