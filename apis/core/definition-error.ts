/** A mistake of the author of a kind. `message` has one line for each reason, with the kind and the field. */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError';
}
