/** Pages for people about what was published. They need no script, and load nothing. */
import {
  isObject,
  listObjects,
  readText,
  type JsonObject,
} from '../../formats/sboms/json-values.ts'
import { type Html, type HtmlPart, renderHtml } from '../../platform/html.ts'
import { FEED_FILE } from './provider.ts'

interface Listed {
  trackingId: string
  title: string
  path: string
  publishedAt: Date
  isWithdrawal: boolean
}

const MOST_LISTED = 1_000

export function renderList({
  publisher,
  advisories,
  base,
}: {
  publisher: string
  advisories: readonly Listed[]
  /** The address of the public path. */
  base: string
}): string {
  const shown = advisories.slice(0, MOST_LISTED)
  const rows = shown.map(
    ({ trackingId, title, path, publishedAt }) =>
      renderHtml`<tr><td><a href="${base}/${path.replace(/json$/, 'html')}">${trackingId}</a></td><td><bdi>${title}</bdi></td><td>${formatDay(publishedAt.toISOString())}</td><td><a href="${base}/${path}">CSAF</a></td></tr>`,
  )
  const table = renderHtml`<table><thead><tr><th scope="col">Number</th><th scope="col">Title</th><th scope="col">Last change</th><th scope="col">For programs</th></tr></thead><tbody>
${rows}
</tbody></table>`
  return renderPage(`Security advisories of ${publisher}`, [
    shown.length === 0 ? renderHtml`<p>No advisory has been published here yet.</p>` : table,
    advisories.length > shown.length
      ? renderHtml`<p>These are the newest ${String(MOST_LISTED)}. The feed has all.</p>`
      : null,
    renderHtml`<p>For programs: <a href="${base}/${FEED_FILE}">feed of CSAF documents (ROLIE)</a></p>`,
  ])
}

const formatDay = (at: string) => at.slice(0, 10)

interface Shown {
  document: JsonObject
  /** Where it is public; undefined: a preview for the team. */
  published: { sha512: string; url: string; listUrl: string } | undefined
}

/** All that the document says, as texts. */
export function renderAdvisory({ document: csaf, published }: Shown): string {
  const head = readMember(csaf, 'document')
  const tracking = readMember(head, 'tracking')
  const publisher = readMember(head, 'publisher')
  const names = readProductNames(csaf['product_tree'])
  const revisions = listObjects(tracking['revision_history']).toReversed()
  return renderPage(readString(head, 'title'), [
    published
      ? null
      : renderHtml`<p class="preview">Preview for your team. Nobody else sees this page.</p>`,
    renderHtml`<p>${readString(tracking, 'id')}, revision ${readString(tracking, 'version')} of ${formatDay(readString(tracking, 'current_release_date'))}, published by <bdi>${readString(publisher, 'name')}</bdi></p>`,
    listObjects(head['notes']).map(
      (note) =>
        renderHtml`<h2>${readString(note, 'title')}</h2>${writeText(readString(note, 'text'))}`,
    ),
    listObjects(csaf['vulnerabilities']).map((one) => writeVulnerability(one, names)),
    renderHtml`<h2>Revisions</h2><ul>${revisions.map(
      (revision) =>
        renderHtml`<li>${readString(revision, 'number')}, ${formatDay(readString(revision, 'date'))}: <bdi>${readString(revision, 'summary')}</bdi></li>`,
    )}</ul>`,
    readString(publisher, 'contact_details') === ''
      ? null
      : renderHtml`<h2>Contact</h2>${writeText(readString(publisher, 'contact_details'))}`,
    published
      ? renderHtml`<h2>For programs</h2><p><a href="${published.url}">CSAF document</a>, <a href="${published.url}.sha512">its checksum</a></p><p class="hash">SHA-512 ${published.sha512}</p><p><a href="${published.listUrl}">All advisories</a></p>`
      : null,
  ])
}

const GROUPS = [
  ['known_affected', 'Affected'],
  ['under_investigation', 'Not known yet'],
  ['fixed', 'Fixed'],
  ['known_not_affected', 'Not affected'],
] as const

export const REMEDIES: Readonly<Record<string, string>> = {
  vendor_fix: 'Update',
  workaround: 'Workaround',
  mitigation: 'Mitigation',
  no_fix_planned: 'No fix is planned',
  none_available: 'There is no fix yet',
}

function writeVulnerability(one: JsonObject, names: ReadonlyMap<string, string>): Html {
  const [other] = listObjects(one['ids'])
  const id = readString(one, 'cve') || readString(other ?? {}, 'text')
  const status = readMember(one, 'product_status')
  const title = readString(one, 'title')
  const nameAll = (ids: unknown) =>
    (Array.isArray(ids) ? ids : []).map(
      (ref) => renderHtml`<li><bdi>${names.get(String(ref)) ?? String(ref)}</bdi></li>`,
    )
  return renderHtml`<section><h2>${id}${title === '' ? '' : renderHtml`: <bdi>${title}</bdi>`}</h2>
${listObjects(one['notes']).map((note) => writeText(readString(note, 'text')))}
${listObjects(one['scores']).map(writeScore)}
${writeWeakness(readMember(one, 'cwe'))}
${listObjects(one['threats']).map((threat) => writeText(readString(threat, 'details')))}
${GROUPS.map(([member, words]) =>
  status[member] === undefined
    ? null
    : renderHtml`<h3>${words}</h3><ul>${nameAll(status[member])}</ul>`,
)}
${listObjects(one['remediations']).map(
  (remedy) =>
    renderHtml`<h3>${REMEDIES[readString(remedy, 'category')] ?? 'What to do'}</h3>${writeText(readString(remedy, 'details'))}${writeLink(readString(remedy, 'url'))}<p>For users of:</p><ul>${nameAll(remedy['product_ids'])}</ul>`,
)}</section>`
}

function writeScore(score: JsonObject): HtmlPart {
  const cvss = readMember(score, score['cvss_v3'] === undefined ? 'cvss_v2' : 'cvss_v3')
  return renderHtml`<p>CVSS ${readString(cvss, 'version')} base score ${String(cvss['baseScore'])}: <code>${readString(cvss, 'vectorString')}</code></p>`
}

function writeWeakness(cwe: JsonObject): HtmlPart {
  const id = readString(cwe, 'id')
  return id === '' ? null : renderHtml`<p>Weakness: ${id}, ${readString(cwe, 'name')}</p>`
}

/** Other schemes than those of the web are shown, and lead nowhere. */
const writeLink = (url: string): HtmlPart =>
  /^https?:\/\//i.test(url) ? renderHtml`<p><a href="${url}" rel="noreferrer">${url}</a></p>` : null

const writeText = (text: string): Html[] =>
  text.split(/\n{2,}/).map((paragraph) => renderHtml`<p class="text"><bdi>${paragraph}</bdi></p>`)

function readMember(value: JsonObject, name: string): JsonObject {
  const member = value[name]
  return isObject(member) ? member : {}
}

const readString = (value: JsonObject, name: string): string => readText(value[name]) ?? ''

/** Branches nest as deep as this service writes them. */
export function readProductNames(tree: unknown): Map<string, string> {
  const names = new Map<string, string>()
  const add = (product: unknown) => {
    if (isObject(product)) names.set(readString(product, 'product_id'), readString(product, 'name'))
  }
  const enter = (branches: unknown) => {
    for (const branch of listObjects(branches)) {
      add(branch['product'])
      enter(branch['branches'])
    }
  }
  if (isObject(tree)) {
    enter(tree['branches'])
    for (const product of listObjects(tree['full_product_names'])) add(product)
  }
  return names
}

function renderPage(title: string, body: readonly HtmlPart[]): string {
  return String(renderHtml`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
  :root { color-scheme: light dark; --ink: #1a2733; --paper: #fff; --deep: #0b5394; --line: #cbd2d8 }
  @media (prefers-color-scheme: dark) { :root { --ink: #e6ecf1; --paper: #14202b; --deep: #7cb9f0; --line: #3a4854 } }
  body { font: 1.05rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 3rem auto; padding: 0 1rem; color: var(--ink); background: var(--paper); overflow-wrap: anywhere }
  h1 { font-size: 1.7rem; line-height: 1.25 }
  h2 { font-size: 1.25rem; margin-top: 2rem }
  h3 { font-size: 1.05rem; margin-bottom: .25rem }
  a { color: var(--deep) }
  .text { white-space: pre-line }
  .preview { padding: .5rem .75rem; border: 1px solid var(--line) }
  .hash { font: .8rem/1.4 ui-monospace, monospace }
  table { border-collapse: collapse; width: 100% }
  th, td { text-align: start; vertical-align: top; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line) }
</style>
<main>
  <h1><bdi>${title}</bdi></h1>
  ${body}
</main>
</html>`)
}
