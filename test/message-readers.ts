/** Names of variables and fields that hold a text for people. */
const textNames = ['message', 'eventMessage', 'words', 'said', 'sentence'];

const methods =
  'startsWith|endsWith|includes|match|matchAll|search|replace|replaceAll|split|indexOf|lastIndexOf';

/** The source without comments and without the content of texts, so that neither is taken for code. */
function bare(source: string): string {
  return source
    .replaceAll(/\/\*[\s\S]*?\*\//g, ' ')
    .replaceAll(/(?<=^|\s)\/\/.*$/gm, ' ')
    .replaceAll(/'(?:[^'\\\n]|\\.)*'/g, (text) => (text === "''" ? text : "'…'"));
}

/** Further names that the source gives a message: `{ message: why }`, `const why = error.message ?? ''`, `= messageOf(error)`. */
function aliasesIn(code: string): readonly string[] {
  const renamed = code.matchAll(/\b(?:message|eventMessage): (\w+)(?=[\s,}=])(?![^{}]*\}\s*\))/g);
  const assigned = code.matchAll(
    /\b(?:const|let) (\w+) = (?:[\w?.[\]()!]*\??\.(?:message|eventMessage)\b|messageOf\()/g,
  );
  return [...renamed, ...assigned].map(([, name]) => name!);
}

/**
 * Each place of a source that looks into a text for people: by a method of strings, a regular expression, a search in a
 * list of texts, a comparison with a text, or a comparison of a field `message` with anything. Each result is the piece of code, on one line.
 */
export function messageReaders(source: string): readonly string[] {
  const code = bare(source);
  const names = [...new Set([...textNames, ...aliasesIn(code)])].join('|');
  const text = `(?:\\b(?:${names})\\b|\\bmessageOf\\([^()]*\\)|\\bString\\((?:error|thrown)\\))`;
  const asText = `${text}(?:\\s*\\?\\?\\s*'')?\\)?(?:\\.(?:trim|toLowerCase|toUpperCase)\\(\\))*`;
  const patterns = [
    new RegExp(`${asText}[?!]?\\s*\\.(?:${methods})\\(`, 'g'),
    new RegExp(`\\.(?:test|exec)\\([^()]*${text}`, 'g'),
    new RegExp(`\\.(?:includes|indexOf|has)\\(\\s*(?:[\\w?!]+\\??\\.)*${text}`, 'g'),
    new RegExp(`${text}\\s*[!=]==?\\s*['"\`](?!['"\`])`, 'g'),
    new RegExp(`['"\`]\\s*[!=]==?\\s*(?:[\\w?!]+\\??\\.)*${text}`, 'g'),
    /[\w)\]]\??\.(?:message|eventMessage)\s*[!=]==?\s*(?!['"`])[\w.]+/g,
  ];
  return patterns
    .flatMap((pattern) => [...code.matchAll(pattern)])
    .toSorted((a, b) => a.index - b.index)
    .map(([found]) => found.replaceAll(/\s+/g, ' '));
}
