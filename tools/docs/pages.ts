/** The pages of the documentation: what is in them, and where their links lead. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { marked, type Token } from 'marked'

/** Pages of the repository beside those of docs/. */
const OUTSIDE_DOCS = [
  'README.md',
  'CONTRIBUTING.md',
  'ARCHITECTURE.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'cli/README.md',
  'examples/mcu-client-c/README.md',
  'examples/python-client/README.md',
  'examples/shell-client/README.md',
]

export interface Page {
  /** From the root of the repository. */
  path: string
  text: string
  title: string
  anchors: ReadonlySet<string>
  links: readonly string[]
}

export function readPages(root: string): Map<string, Page> {
  const inDocs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  const paths = [
    ...OUTSIDE_DOCS,
    ...inDocs.filter((path) => path.endsWith('.md')).map((path) => `docs/${path}`),
  ]
  return new Map(paths.toSorted().map((path) => [path, readPage(root, path)]))
}

function readPage(root: string, path: string): Page {
  const text = readFileSync(join(root, path), 'utf8')
  const headings: string[] = []
  const links: string[] = []
  const note = (token: Token) => {
    if (token.type === 'heading') headings.push(readHeading(String(token['text'])))
    if (token.type === 'link' || token.type === 'image') links.push(String(token['href']))
  }
  // Its callback may be asynchronous; this one is not.
  void marked.walkTokens(marked.lexer(text), note)
  return { path, text, title: headings[0] ?? path, anchors: new Set(listAnchors(headings)), links }
}

/** A heading without the marks of code, emphasis and links. */
export function readHeading(heading: string): string {
  return heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '')
}

/** As GitHub names them; a name that is taken gets a number. */
export function listAnchors(headings: readonly string[]): string[] {
  const seen = new Map<string, number>()
  return headings.map((heading) => {
    const name = heading
      .toLowerCase()
      .replaceAll(/[^\p{Letter}\p{Number}\s_-]/gu, '')
      .replaceAll(' ', '-')
    const count = seen.get(name) ?? 0
    seen.set(name, count + 1)
    return count === 0 ? name : `${name}-${count}`
  })
}

export interface Target {
  /** From the root of the repository. */
  path: string
  anchor: string | undefined
}

/** Where a link leads in the repository; undefined: elsewhere. */
export function findTarget(page: Page, href: string): Target | undefined {
  if (/^[a-z][a-z+.-]*:/i.test(href)) return undefined
  const [to = '', anchor] = decodeURIComponent(href).split('#')
  return { path: to === '' ? page.path : normalize(join(dirname(page.path), to)), anchor }
}

/** Links to files and headings that do not exist. */
export function listBrokenLinks(root: string, pages: ReadonlyMap<string, Page>): string[] {
  return [...pages.values()].flatMap((page) =>
    page.links.flatMap((href) => {
      const target = findTarget(page, href)
      if (!target) return []
      const { path, anchor } = target
      const isThere = existsSync(join(root, path))
      const isNamed = anchor === undefined || (pages.get(path)?.anchors.has(anchor) ?? true)
      return isThere && isNamed ? [] : [`${page.path}: ${href}`]
    }),
  )
}

export interface ShellBlock {
  /** Without the indentation of a list around it. */
  code: string
  /** Why no test runs it, as its opening line says (` ```sh no-run=needs systemd `). */
  notRun: string | undefined
}

/** The blocks of a page that a reader copies into a terminal. */
export function listShellBlocks({ text }: Page): ShellBlock[] {
  const blocks = text.matchAll(/^( *)```(?:sh|bash|shell)(?: no-run=([^\n]+))?\n(.*?)^ *```$/gms)
  return [...blocks].map(([, indentation = '', notRun, code = '']) => ({
    code: code.replaceAll(new RegExp(`^${indentation}`, 'gm'), ''),
    notRun,
  }))
}
