/**
 * Builds the documentation as a site of plain files: `npm run docs`, then open site/index.html. Needs no network. Fails when a link
 * leads nowhere, or when a guide has no place in the navigation.
 */
import { join, relative, resolve } from 'node:path'
import { NAVIGATION } from './docs/navigation.ts'
import { listBrokenLinks, readPages } from './docs/pages.ts'
import { buildSite } from './docs/site.ts'

const root = resolve(import.meta.dirname, '..')
const out = join(root, 'site')
const pages = readPages(root)
const listed = new Set(NAVIGATION.flatMap((group) => group.pages))
requireNone('Links that lead nowhere', listBrokenLinks(root, pages))
requireNone(
  'Guides that tools/docs/navigation.ts lacks',
  [...pages.keys()].filter((path) => path.startsWith('docs/guide/') && !listed.has(path)),
)
requireNone(
  'Pages of tools/docs/navigation.ts that do not exist',
  [...listed].filter((path) => !pages.has(path)),
)
const count = await buildSite(root, pages, out)
process.stdout.write(`${count} pages in ${relative(process.cwd(), out)}\n`)

function requireNone(fault: string, found: readonly string[]): void {
  if (found.length === 0) return
  process.stderr.write(`${fault}:\n${found.join('\n')}\n`)
  process.exit(1)
}
