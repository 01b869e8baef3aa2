/** Writes the documentation as a site of plain files, which works from a folder and at /docs/guide of the service. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { rolldown } from 'rolldown'
import { NAVIGATION } from './navigation.ts'
import { addressOf, FILES, renderBody, siteFileOf } from './page-body.ts'
import { escapeHtml, frame, type PageLink } from './page-frame.ts'
import type { Page } from './pages.ts'
import type { Section } from './search.ts'

const REFERENCE = { address: 'api-reference.html', title: 'API reference' }
const FOR_DEVELOPERS = {
  title: 'How it is made',
  pages: [
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'docs/design/README.md',
    'docs/decisions/README.md',
    'CHANGELOG.md',
  ],
}

/** The number of pages. */
export async function buildSite(
  root: string,
  pages: ReadonlyMap<string, Page>,
  out: string,
): Promise<number> {
  rmSync(out, { recursive: true, force: true })
  const groups = listGroups(pages)
  const indexed: Section[] = []
  const write = (link: PageLink, html: string, sections: readonly Section[]) => {
    const path = join(out, link.address)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, frame({ ...link, html, sections, groups }))
    for (const section of sections) indexed.push(section)
  }
  for (const page of pages.values()) {
    const { html, sections } = renderBody(page, pages)
    write({ address: addressOf(page.path), title: page.title }, html, sections)
  }
  const reference = renderReference(root)
  write(REFERENCE, reference.html, reference.sections)
  const pictures = 'docs/guide/pictures'
  cpSync(join(root, pictures), join(out, siteFileOf(pictures)), { recursive: true })
  for (const file of FILES) cpSync(join(root, file), join(out, siteFileOf(file)))
  cpSync(join(import.meta.dirname, 'site.css'), join(out, 'site.css'))
  // A script, as a page that is opened from a folder may load scripts but fetch nothing.
  writeFileSync(
    join(out, 'search-index.js'),
    `globalThis.plimsollSections = ${JSON.stringify(indexed)}`,
  )
  await bundleScript(out)
  return pages.size + 1
}

function listGroups(pages: ReadonlyMap<string, Page>) {
  return [...NAVIGATION, FOR_DEVELOPERS].map(({ title, pages: paths }) => {
    const links = paths.flatMap((path): PageLink[] => {
      const page = pages.get(path)
      return page ? [{ address: addressOf(path), title: page.title }] : []
    })
    return { title, links: title === 'Ways in' ? [...links, REFERENCE] : links }
  })
}

async function bundleScript(out: string): Promise<void> {
  const bundle = await rolldown({ input: join(import.meta.dirname, 'browser/site.ts') })
  await bundle.write({ file: join(out, 'site.js'), format: 'iife', minify: true })
  await bundle.close()
}

interface Operation {
  operationId: string
  summary?: string
  description?: string
}

/** Every route with what it does; /docs of a running service lets you try them. */
function renderReference(root: string): { html: string; sections: Section[] } {
  const text = readFileSync(join(root, 'server/openapi.json'), 'utf8')
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, Operation>> }
  const sections = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, summary = '', description = '' }]) => ({
      address: REFERENCE.address,
      page: REFERENCE.title,
      anchor: operationId,
      // Too many for an outline.
      depth: 4,
      heading: `${method.toUpperCase()} ${path}`,
      text: `${summary} ${description}`.trim(),
    })),
  )
  const rows = sections.map(
    ({ anchor, heading, text: says }) =>
      `<dt id="${escapeHtml(anchor)}"><code>${escapeHtml(heading)}</code></dt><dd>${escapeHtml(says)}</dd>`,
  )
  const html = `<h1>${REFERENCE.title}</h1><p>All ${rows.length} routes. <a href="openapi.json">openapi.json</a> has their fields; <code>/docs</code> of a running service lets you try them.</p><dl>${rows.join('\n')}</dl>`
  return { html, sections }
}
