import { createHash } from 'node:crypto';

/** The number that goes with a project's id; here it follows from the id. */
export const projectNumber = (project: string): string =>
  String(
    100_000_000_000 + (createHash('sha256').update(project).digest().readUIntBE(0, 6) % 900_000_000_000),
  );
