/** HTML of pages and mails. The tag escapes every text that is put in, so that no caller has to. */

const MARKUP = Symbol('markup')

/** Made by `html` alone. */
export interface Html {
  readonly [MARKUP]: string
  toString(): string
}

/** Texts are escaped, markup is not. Those of a list stand on lines of their own; what is absent is nothing. */
export type HtmlPart = string | Html | readonly HtmlPart[] | null | undefined

/** Texts may stand between tags and in quoted attributes; not in scripts, styles, or attributes without quotes. */
export function renderHtml(parts: TemplateStringsArray, ...values: readonly HtmlPart[]): Html {
  const markup = String.raw({ raw: parts }, ...values.map(renderPart))
  return { [MARKUP]: markup, toString: () => markup }
}

function renderPart(value: HtmlPart): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return escape(value)
  return MARKUP in value ? value[MARKUP] : value.map(renderPart).join('\n')
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}
