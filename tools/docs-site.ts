/**
 * Builds the documentation as a site of plain files: `npm run docs`, then open site/index.html. Needs no network. Fails when a link
 * leads nowhere, or when a guide has no place in the navigation.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { Marked, type Tokens } from 'marked'
import { NAVIGATION } from './docs/navigation.ts'
import { listAnchors, listBrokenLinks, type Page, readPages, findTarget } from './docs/pages.ts'

const root = resolve(import.meta.dirname, '..')
const out = join(root, 'site')
const REFERENCE = 'api-reference.html'

const pages = readPages(root)
const listed = new Set(NAVIGATION.flatMap((group) => group.pages))
const rest = (folder: string) =>
  [...pages.keys()].filter((path) => path.startsWith(folder) && !listed.has(path))
requireNone('Links that lead nowhere', listBrokenLinks(root, pages))
requireNone('Guides that tools/docs/navigation.ts lacks', rest('docs/guide/'))
requireNone(
  'Pages of tools/docs/navigation.ts that do not exist',
  [...listed].filter((path) => !pages.has(path)),
)
rmSync(out, { recursive: true, force: true })
for (const page of pages.values()) write(addressOf(page.path), page.title, bodyOf(page))
write(REFERENCE, 'API reference', referenceOf())
cpSync(join(root, 'docs/guide/pictures'), join(out, 'docs/guide/pictures'), { recursive: true })
for (const file of ['docs/asyncapi.json', 'server/openapi.json'])
  cpSync(join(root, file), join(out, file))
writeFileSync(join(out, 'site.css'), readFileSync(join(import.meta.dirname, 'docs/site.css')))
process.stdout.write(`${pages.size + 1} pages in ${relative(process.cwd(), out)}\n`)

function requireNone(fault: string, found: readonly string[]): void {
  if (found.length === 0) return
  process.stderr.write(`${fault}:\n${found.join('\n')}\n`)
  process.exit(1)
}

function addressOf(path: string): string {
  return path === 'README.md' ? 'index.html' : path.replace(/\.md$/, '.html')
}

function bodyOf(page: Page): string {
  const headings: string[] = []
  const text = new Marked({
    renderer: {
      heading({ tokens, depth, text: heading }: Tokens.Heading) {
        headings.push(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, ''))
        const anchor = listAnchors(headings).at(-1) ?? ''
        return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }: Tokens.Link) {
        const shown = this.parser.parseInline(tokens)
        const address = linkOf(page, href)
        return address === undefined ? shown : `<a href="${escaped(address)}">${shown}</a>`
      },
    },
  })
  return text.parse(page.text, { async: false })
}

/** undefined: the site does not hold it. */
function linkOf(page: Page, href: string): string | undefined {
  const target = findTarget(page, href)
  if (!target) return href
  const known = pages.has(target.path) ? addressOf(target.path) : target.path
  const isHere = pages.has(target.path) || target.path.startsWith('docs/guide/pictures/')
  const isFile = target.path === 'docs/asyncapi.json' || target.path === 'server/openapi.json'
  if (!isHere && !isFile) return undefined
  const anchor = target.anchor === undefined ? '' : `#${target.anchor}`
  return (relative(dirname(addressOf(page.path)), known) || known) + anchor
}

function write(address: string, title: string, body: string): void {
  const path = join(out, address)
  mkdirSync(dirname(path), { recursive: true })
  const to = (other: string) => escaped(relative(dirname(address), other))
  const groups = [
    ...NAVIGATION,
    {
      title: 'How it is made',
      pages: ['ARCHITECTURE.md', 'CONTRIBUTING.md', ...rest('docs/design/')],
    },
    { title: 'Decisions', pages: rest('docs/decisions/') },
    { title: 'Changes', pages: ['CHANGELOG.md'] },
  ]
  const item = (one: string, name: string) =>
    `<li${one === address ? ' aria-current="page"' : ''}><a href="${to(one)}">${escaped(name)}</a></li>`
  const lists = groups.map(({ title: name, pages: paths }) => {
    const items = paths.flatMap((one) => {
      const page = pages.get(one)
      return page ? [item(addressOf(one), page.title)] : []
    })
    if (name === 'Ways in') items.push(item(REFERENCE, 'API reference'))
    const isOpen = name !== 'Decisions' && name !== 'How it is made'
    return `<details${isOpen ? ' open' : ''}><summary>${name}</summary><ul>${items.join('')}</ul></details>`
  })
  writeFileSync(
    path,
    `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · Plimsoll</title>
<link rel="stylesheet" href="${to('site.css')}">
<nav aria-label="Pages">${lists.join('\n')}</nav>
<main>
${body}</main>
</html>
`,
  )
}

interface Operation {
  operationId: string
  summary?: string
  description?: string
}

/** Every route with what it does; /docs of a running service lets you try them. */
function referenceOf(): string {
  const text = readFileSync(join(root, 'server/openapi.json'), 'utf8')
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, Operation>> }
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const { operationId, summary = '', description = '' } = operation
      const name = `${method.toUpperCase()} ${path}`
      return `<dt id="${operationId}"><code>${escaped(name)}</code></dt><dd><p>${escaped(summary)}</p><p>${escaped(description)}</p></dd>`
    }),
  )
  return `<h1>API reference</h1><p>All ${rows.length} routes. <a href="server/openapi.json">openapi.json</a> has their fields; <code>/docs</code> of a running service lets you try them.</p><dl>${rows.join('\n')}</dl>`
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
