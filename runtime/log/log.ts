/*
 *   log.info('a constant message', facts) ──▶ loggable.ts ──▶ winston ──▶ one line on standard error
 *                                             no secrets, printable, limited length
 */

import { Writable } from 'node:stream';
import winston from 'winston';
import type { Clock } from '../time/clock.ts';
import { linesOfATurn } from './lines-of-a-turn.ts';
import { loggable } from './loggable.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Structured logging: constant messages, facts as fields. `error` fields are serialised with their causes. */
export interface Logger {
  /** A logger that adds fields to every line. A function is called only when a line is written. */
  child(fields: Fields | (() => Fields)): Logger;
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];
export const logFormats = ['json', 'pretty'] as const;
export type LogFormat = (typeof logFormats)[number];

export interface LogOptions {
  /** The least important level that is written. */
  readonly level: LogLevel;
  /** One JSON object per line, or a line for people. */
  readonly format: LogFormat;
  /**
   * Receives one line with its newline. Default: standard error, with one write for each turn of the event loop, and in
   * colours on a terminal with format `pretty`.
   */
  readonly write?: (line: string) => void;
  readonly clock: Pick<Clock, 'now' | 'nextTurn'>;
}

/** Fields that come first, in this order. The other fields follow as given, and `error` is last. */
const leading: Fields = Object.fromEntries(
  ['controller', 'kind', 'namespace', 'name', 'claim', 'resource', 'externalName', 'reconcileID'].map(
    (key) => [key, undefined],
  ),
);

/**
 * Logs through winston. A JSON line is `{ts, level, msg, controller, kind, namespace, name, …, error}`. An error is
 * `{message, cause}`, with `stack` at level debug and for bugs. The values of fields with a secret name (`password`,
 * `token`, `data`, …) and passwords in URLs are never written.
 */
export function createLogger(options: LogOptions): Logger {
  const { level, format, clock } = options;
  const { write = linesOfATurn((lines) => void process.stderr.write(lines), clock) } = options;
  const isColoured = options.write === undefined && process.stderr.isTTY === true;
  const render = format === 'json' ? jsonLine : (line: Line) => prettyLine(line, isColoured);
  const withStack = level === 'debug';

  const root = winston.createLogger({
    level,
    levels: { error: 0, warn: 1, info: 2, debug: 3 },
    format: winston.format.printf(({ level: lineLevel, message, fields }) =>
      render({
        ts: clock.now(),
        level: lineLevel as LogLevel,
        msg: loggable(message, { withStack }) as string,
        fields: arranged(loggable(fields, { withStack }) as Fields),
      }),
    ),
    transports: [
      new winston.transports.Stream({
        eol: '\n',
        stream: new Writable({
          decodeStrings: false,
          write(chunk: unknown, _encoding, callback) {
            write(String(chunk));
            callback();
          },
        }),
      }),
    ],
  });

  const loggerWith = (base: () => Fields): Logger => {
    const at =
      (lineLevel: LogLevel): Logger['info'] =>
      (message, fields) => {
        // Winston would render the line before it drops it.
        if (!root.isLevelEnabled(lineLevel)) return;
        // Facts are passed in one field: winston reserves `level`, `message` and other names.
        root.log({ level: lineLevel, message, fields: { ...base(), ...fields } });
      };
    return {
      child: (fields) =>
        loggerWith(() => ({ ...base(), ...(typeof fields === 'function' ? fields() : fields) })),
      debug: at('debug'),
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
    };
  };
  return loggerWith(() => ({}));
}

interface Line {
  readonly ts: Date;
  readonly level: LogLevel;
  readonly msg: string;
  readonly fields: Fields;
}

function arranged({ error, ts: _ts, level: _level, msg: _msg, ...others }: Fields): Fields {
  return { ...leading, ...others, ...(error !== undefined && { error }) };
}

const jsonLine = ({ ts, level, msg, fields }: Line): string =>
  JSON.stringify({ ts: ts.toISOString(), level, msg, ...fields });

const colours: Readonly<Record<LogLevel, number>> = { debug: 90, info: 36, warn: 33, error: 31 };

function prettyLine({ ts, level, msg, fields }: Line, isColoured: boolean): string {
  const paint = (code: number, text: string) => (isColoured ? `\u001b[${code}m${text}\u001b[0m` : text);
  const { namespace, name, error, ...rest } = fields;
  const object =
    name === undefined ? {} : { object: namespace === undefined ? name : `${namespace}/${name}` };
  const { message, stack } = (error ?? {}) as { message?: unknown; stack?: unknown };
  const cause = error === undefined ? {} : { error: message ?? error };
  const facts = Object.entries({ ...object, ...(name === undefined && { namespace }), ...rest, ...cause })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${paint(90, `${key}=`)}${plain(value)}`);
  const head = `${ts.toISOString().slice(11, 23)} ${paint(colours[level], level.toUpperCase().padEnd(5))}`;
  const trace = typeof stack === 'string' ? `\n${stack}` : '';
  return `${head} ${plain(msg, true)}${facts.join('')}${trace}`;
}

/** A single word or a message unchanged; anything else as JSON. */
const plain = (value: unknown, isMessage = false): string =>
  typeof value === 'string' && (isMessage || /^[^\s"]+$/.test(value)) ? value : JSON.stringify(value);
