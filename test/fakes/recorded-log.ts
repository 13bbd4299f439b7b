import type { Logger } from '../../runtime/log/log.ts';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A logger that keeps its entries in `lines`. */
export function recordedLog(): Logger & { readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const loggerWith = (base: () => LogLine['fields']): Logger => {
    const at =
      (level: LogLine['level']): Logger['info'] =>
      (message, fields = {}) => {
        lines.push({ level, message, fields: { ...base(), ...fields } });
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
  return { ...loggerWith(() => ({})), lines };
}
