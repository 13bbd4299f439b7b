/** Structured logging: constant messages, facts as fields. `error` fields are serialised with their causes. */
export interface Logger {
  child(fields: Readonly<Record<string, unknown>>): Logger;
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}
