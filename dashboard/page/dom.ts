type Child = Node | string | undefined | false;
type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

const svgNamespace = 'http://www.w3.org/2000/svg';

function filled<E extends Element>(element: E, attributes: Attributes, children: readonly Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(
    ...children.filter((child): child is Node | string => child !== undefined && child !== false),
  );
  return element;
}

/** An element of the page. Texts are texts: nothing of what is told is ever read as HTML. */
export const html = <K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] => filled(document.createElement(tag), attributes, children);

export const svg = <K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[K] => filled(document.createElementNS(svgNamespace, tag), attributes, children);

/** The element of that id, which is in the page. */
export function byId<E extends HTMLElement = HTMLElement>(id: string): E {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`there is no #${id}`);
  return element as E;
}

const pen = document.createElement('canvas').getContext('2d');

/** How many pixels a text takes in the page's font, of that size and weight. */
export function textWidth(text: string, size: number, weight = 400): number {
  if (pen === null) return text.length * size * 0.6;
  pen.font = `${weight} ${size}px ${getComputedStyle(document.body).fontFamily}`;
  return Math.ceil(pen.measureText(text).width) + 1;
}

/** Scrolls, slides and fades only for whoever has not asked for less of it. */
export const isCalm = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches;
