/** What the author of a kind got wrong. `message` has a line for each reason, with the kind and the field. */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError';
}
