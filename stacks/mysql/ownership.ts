import { ownershipByMark } from '../../package/stack.ts';
import { advice } from './advice.ts';
import type { Kind, Marked } from './client/mark.ts';
import { markOf, markStatement } from './client/mark.ts';
import { checkNewName, checkOwnName } from './client/name.ts';
import { quotedName } from './client/text.ts';

const markedKind = (kind: Kind) => ({
  kind,
  quoted: quotedName,
  checkOwnName: (name: string) => checkOwnName(kind, name),
  checkNewName: (name: string) => checkNewName(kind, name),
  markOf,
  markIn: ({ mark }: Marked) => mark,
  markStatement: (name: string, ownerId: string) => markStatement(kind, name, ownerId),
});

export const userOwnership = ownershipByMark(markedKind('user'));

export const databaseOwnership = ownershipByMark({
  ...markedKind('database'),
  freeIt: advice.moveTables, // MariaDB cannot rename a database
});
