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

/** An element of the page. Child strings become text: no received value is ever parsed as HTML. */
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

/** The element with this id; it must exist. */
export function byId<E extends HTMLElement = HTMLElement>(id: string): E {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no element #${id}`);
  return element as E;
}

const pen = document.createElement('canvas').getContext('2d');

/** The width of a text in pixels, in the page's font with this size and weight. */
export function textWidth(text: string, size: number, weight = 400): number {
  if (pen === null) return text.length * size * 0.6;
  pen.font = `${weight} ${size}px ${getComputedStyle(document.body).fontFamily}`;
  return Math.ceil(pen.measureText(text).width) + 1;
}
