/** A page of the documentation as HTML, and as the sections that its outline and the search know. */
import { dirname, relative } from 'node:path'
import { Marked, type Token, type Tokens } from 'marked'
import { escapeHtml } from './page-frame.ts'
import { findTarget, listAnchors, type Page, readHeading } from './pages.ts'
import type { Section } from './search.ts'

interface PageBody {
  html: string
  /** The first is what stands before the second heading. */
  sections: Section[]
}

/** Where the site has a page of the repository: guides stand at its top. */
export function addressOf(path: string): string {
  if (path === 'docs/README.md') return 'index.html'
  return path
    .replace(/^docs\/(?:guide\/)?/, '')
    .replace(/^[A-Z]+(?=\.md$)/, (name) => name.toLowerCase())
    .replace(/\/README\.md$/, '/index.md')
    .replace(/\.md$/, '.html')
}

export function renderBody(page: Page, pages: ReadonlyMap<string, Page>): PageBody {
  const headings: string[] = []
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        headings.push(readHeading(text))
        const anchor = listAnchors(headings).at(-1) ?? ''
        const link =
          depth === 1 ? '' : `<a class="anchor" href="#${anchor}" aria-label="Link to here">#</a>`
        return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)}${link}</h${depth}>\n`
      },
      link({ href, tokens }: Tokens.Link) {
        const shown = this.parser.parseInline(tokens)
        const address = linkOf(page, href, pages)
        return address === undefined ? shown : `<a href="${escapeHtml(address)}">${shown}</a>`
      },
      image: ({ href, text }: Tokens.Image) =>
        `<img src="${escapeHtml(linkOf(page, href, pages) ?? href)}" alt="${escapeHtml(text)}" loading="lazy">`,
    },
  })
  const html = marked
    .parse(page.text, { async: false })
    // What is wider than the page scrolls by itself, with the keyboard too.
    .replaceAll('<pre>', '<pre tabindex="0">')
    // Read aloud, a heading without words is a riddle.
    .replaceAll('<th></th>', '<td></td>')
    .replaceAll(
      '<table>',
      '<div class="table" role="group" tabindex="0" aria-label="Table"><table>',
    )
    .replaceAll('</table>', '</table></div>')
  return { html, sections: listSections(page, marked.lexer(page.text)) }
}

/** undefined: the site does not hold it. */
function linkOf(page: Page, href: string, pages: ReadonlyMap<string, Page>): string | undefined {
  const target = findTarget(page, href)
  if (!target) return href
  const { path } = target
  const isFile = path.startsWith('docs/guide/pictures/') || FILES.includes(path)
  if (!pages.has(path) && !isFile) return undefined
  const known = pages.has(path) ? addressOf(path) : siteFileOf(path)
  const anchor = target.anchor === undefined ? '' : `#${target.anchor}`
  if (path === page.path && anchor !== '') return anchor
  return relative(dirname(addressOf(page.path)), known) + anchor
}

/** Files that pages lead to, beside pictures. */
export const FILES = ['docs/asyncapi.json', 'server/openapi.json']

export function siteFileOf(path: string): string {
  return path.replace(/^(?:docs\/(?:guide\/)?|server\/)/, '')
}

function listSections(page: Page, tokens: readonly Token[]): Section[] {
  const found: { depth: number; heading: string; texts: string[] }[] = []
  for (const token of tokens)
    if (token.type === 'heading')
      found.push({
        depth: Number(token['depth']),
        heading: readHeading(String(token['text'])),
        texts: [],
      })
    else found.at(-1)?.texts.push(readText(token))
  const anchors = listAnchors(found.map(({ heading }) => heading))
  return found.map(({ depth, heading, texts }, index) => ({
    address: addressOf(page.path),
    page: page.title,
    anchor: anchors[index] ?? '',
    depth,
    heading,
    text: texts.join(' ').replaceAll(/\s+/g, ' ').trim(),
  }))
}

/** What a reader sees of it. */
function readText(token: Token): string {
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table
    return [header, ...rows]
      .flat()
      .map((cell) => cell.tokens.map(readText).join(''))
      .join(' ')
  }
  if (token.type === 'list')
    return (token as Tokens.List).items.map((item) => item.tokens.map(readText).join(' ')).join(' ')
  if ('tokens' in token && token.tokens) return token.tokens.map(readText).join('')
  if (token.type === 'html') return ''
  return 'text' in token ? String(token.text) : ' '
}
