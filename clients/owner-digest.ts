import { hash } from 'node:crypto';

/**
 * The digest of an owner id, which marks what a resource owns on a server that many teams share. A tenant may be able to
 * read the mark, and learns nothing from it.
 */
export const ownerDigest = (ownerId: string): string => hash('sha256', ownerId, 'hex').slice(0, 32);
