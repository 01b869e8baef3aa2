/** The pages of a customer. They need no script, load nothing, and print. */
import { formatCountOf, formatNumber } from '../../../formats/counts.ts'
import { addDays } from '../../../formats/instants.ts'
import { renderHtml, type Html, type HtmlPart } from '../../../platform/html.ts'
import type { CustomerView, DevicePage, StatementPage } from './service.ts'

/** The address of a page or document below that of the customer, with the token where there is one. */
export type LinkTo = (path: string, query?: Readonly<Record<string, string>>) => string

export function renderCustomer(
  view: CustomerView,
  { devices, hasMore, nextCursor }: DevicePage & { nextCursor?: string },
  linkTo: LinkTo,
): string {
  const { customer, publisher, advisories, versions, updates } = view
  const { total, silent } = view.devices
  return renderPage(`${customer}: your devices`, [
    renderHtml`<p>${formatCountOf(total, 'device')}, as <bdi>${publisher}</bdi> knows them at ${formatTime(view.asOf)}.${view.linkEndsAt === null ? '' : ` This link works until ${formatTime(view.linkEndsAt)}.`}</p>`,
    total === 0 ? renderHtml`<p>No device is assigned to you at the moment.</p>` : null,
    silent === 0
      ? null
      : renderHtml`<p class="unknown">Of ${formatCountOf(silent, 'device')}, it is not known what they run: they never said so.</p>`,
    renderVersions(versions, linkTo),
    view.hasMoreVersions
      ? renderHtml`<p class="unknown">There are more versions. These are the ${formatNumber(versions.length)} that most devices run; the list of devices names all.</p>`
      : null,
    renderUpdates(updates),
    renderAdvisories(advisories, linkTo),
    renderDevices(devices),
    hasMore && nextCursor !== undefined
      ? renderHtml`<p><a href="${linkTo('', { cursor: nextCursor })}">Further devices</a></p>`
      : null,
    renderHtml`<h2>For programs</h2><p>The same as JSON: <a href="${linkTo('/api')}">summary</a>, <a href="${linkTo('/api/devices')}">devices</a>.</p>`,
  ])
}

type Version = CustomerView['versions'][number]

function renderVersions(versions: readonly Version[], linkTo: LinkTo): Html | null {
  if (versions.length === 0) return null
  const rows = versions.map((one) => {
    const name = `${one.firmware} ${one.version}`
    const query = { firmware: one.slug, version: one.version }
    const title = one.isKnown
      ? renderHtml`<a href="${linkTo('/version', query)}"><bdi>${name}</bdi></a>`
      : renderHtml`<bdi>${name}</bdi>`
    return [title, formatNumber(one.deviceCount), describeStatements(one), describeSupport(one)]
  })
  const titles = ['Version', 'Devices', 'Known vulnerabilities', 'Fixes until']
  return renderHtml`<h2>What they run</h2>
${renderTable(titles, rows)}`
}

/** On narrow screens each row is a block, where every value has its title before it. */
function renderTable(titles: readonly string[], rows: readonly (readonly HtmlPart[])[]): Html {
  const cell = (part: HtmlPart, index: number) =>
    renderHtml`<td data-title="${titles[index]}">${part}</td>`
  return renderHtml`<table><thead><tr>${titles.map((title) => renderHtml`<th scope="col">${title}</th>`)}</tr></thead><tbody>
${rows.map((cells) => renderHtml`<tr>${cells.map(cell)}</tr>`)}
</tbody></table>`
}

function describeStatements({ isKnown, statements }: Version): HtmlPart {
  if (!isKnown)
    return renderHtml`<span class="unknown">Not known: this version is not registered.</span>`
  if (statements === null)
    return renderHtml`<span class="unknown">Not known: there is no list of its components.</span>`
  const { affected, underInvestigation, notAffected, fixed, notAssessed } = statements
  const said = [
    affected > 0 ? renderHtml`<b>${formatCountOf(affected, 'affects it', 'affect it')}</b>` : null,
    underInvestigation > 0 ? `${formatNumber(underInvestigation)} being looked into` : null,
    fixed > 0 ? `${formatNumber(fixed)} fixed` : null,
    notAffected > 0 ? formatCountOf(notAffected, 'does not affect it', 'do not affect it') : null,
    notAssessed > 0
      ? renderHtml`<span class="unknown">${formatCountOf(notAssessed, 'possible one', 'possible ones')} not assessed yet</span>`
      : null,
  ].filter((one) => one !== null)
  return said.length === 0 ? 'None is known.' : said.map((one) => renderHtml`<div>${one}</div>`)
}

export function describeSupport({
  supportEndsOn,
  supportEndsIn,
  isSupported,
}: Pick<Version, 'supportEndsOn' | 'supportEndsIn' | 'isSupported'>): HtmlPart {
  const end =
    supportEndsOn === null ? supportEndsIn : formatDay(addDays(new Date(supportEndsOn), -1))
  if (end === null) return renderHtml`<span class="unknown">Not stated</span>`
  return isSupported === true ? end : renderHtml`<b>Ended: ${end}</b>`
}

function renderUpdates(updates: CustomerView['updates']): Html | null {
  if (updates.length === 0)
    return renderHtml`<h2>Updates on their way</h2><p>None is planned at the moment.</p>`
  return renderHtml`<h2>Updates on their way</h2><ul>${updates.map(
    ({ firmware, version, waiting, inProgress }) =>
      renderHtml`<li><bdi>${firmware} ${version}</bdi>: ${formatCountOf(waiting, 'device waits', 'devices wait')}, ${formatCountOf(inProgress, 'device is', 'devices are')} installing it</li>`,
  )}</ul>`
}

function renderAdvisories(advisories: CustomerView['advisories'], linkTo: LinkTo): Html {
  if (advisories.length === 0)
    return renderHtml`<h2>Advisories</h2><p>None was published about what these devices run.</p>`
  return renderHtml`<h2>Advisories</h2><ul>${advisories.map(
    ({ trackingId, title, publishedAt, name, versions }) =>
      renderHtml`<li><a href="${linkTo(`/advisories/${name}.html`)}">${trackingId}</a>, ${formatDay(publishedAt)}: <bdi>${title}</bdi>; it speaks of <bdi>${versions.join(', ')}</bdi></li>`,
  )}</ul>`
}

function renderDevices(devices: DevicePage['devices']): Html | null {
  if (devices.length === 0) return null
  const rows = devices.map(({ id, since, lastSeenAt, connected, runs, update }) => [
    renderHtml`<bdi>${id}</bdi>`,
    formatDay(since),
    runs.length === 0
      ? renderHtml`<span class="unknown">Not known</span>`
      : runs.map((one) => renderHtml`<div><bdi>${one.firmware} ${one.version}</bdi></div>`),
    update === null
      ? 'none'
      : renderHtml`<bdi>${update.versions.join(', ')}</bdi> (${update.state === 'pending' ? 'waiting' : 'being installed'})`,
    connected
      ? 'connected'
      : lastSeenAt === null
        ? 'not since it is yours'
        : formatTime(lastSeenAt),
  ])
  return renderHtml`<h2>Devices</h2>
${renderTable(['Device', 'Yours since', 'Runs', 'Update', 'Last seen'], rows)}`
}

const STATUS: Readonly<Record<StatementPage['statements'][number]['assessment'], string>> = {
  Exploitable: 'Affects it',
  InTriage: 'Being looked into',
  Resolved: 'Fixed',
  NotAffected: 'Does not affect it',
  FalsePositive: 'Does not affect it',
}

export function renderStatements(
  page: StatementPage & { nextCursor?: string },
  linkTo: LinkTo,
): string {
  const { version, statements, notAssessed, nextCursor } = page
  const rows = statements.map((one) => [
    renderHtml`${one.vulnerability}${one.title === null ? '' : renderHtml`<div><bdi>${one.title}</bdi></div>`}`,
    renderHtml`<bdi>${one.component}</bdi>`,
    describeStatement(one),
    formatDay(one.statedAt),
  ])
  return renderPage(`${version.firmware} ${version.version}`, [
    renderHtml`<p><a href="${linkTo('')}">All your devices</a></p>`,
    renderHtml`<p>${formatCountOf(version.deviceCount, 'device of yours runs it', 'devices of yours run it')}. Fixes until: ${describeSupport(version)}</p>`,
    notAssessed === null
      ? renderHtml`<p class="unknown">There is no list of its components, so it is not known what affects it.</p>`
      : notAssessed === 0
        ? null
        : renderHtml`<p class="unknown">${formatCountOf(notAssessed, 'possible vulnerability was', 'possible vulnerabilities were')} not assessed yet: nobody has said whether they affect it.</p>`,
    statements.length === 0
      ? renderHtml`<p>Nothing was said about vulnerabilities of this version so far.</p>`
      : renderTable(['Vulnerability', 'Component', 'What is said', 'Since'], rows),
    nextCursor === undefined
      ? null
      : renderHtml`<p><a href="${linkTo('/version', { firmware: version.slug, version: version.version, cursor: nextCursor })}">Further statements</a></p>`,
  ])
}

function describeStatement({
  assessment,
  justification,
  responses,
  detail,
}: StatementPage['statements'][number]): HtmlPart {
  return [
    renderHtml`<b>${STATUS[assessment]}</b>`,
    justification === null ? null : renderHtml`<div>${words(justification)}</div>`,
    responses.length === 0 ? null : renderHtml`<div>${responses.map(words).join(', ')}</div>`,
    detail === null ? null : renderHtml`<div class="text"><bdi>${detail}</bdi></div>`,
  ]
}

/** `code_not_reachable`: "Code not reachable". */
const words = (term: string) => {
  const text = term.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const formatDay = (at: Date) => at.toISOString().slice(0, 10)
const formatTime = (at: Date) => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`

export function renderPage(title: string, body: readonly HtmlPart[]): string {
  return String(renderHtml`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>
  :root { color-scheme: light dark; --ink: #1a2733; --paper: #fff; --deep: #0b5394; --line: #cbd2d8; --doubt: #7a4b00 }
  @media (prefers-color-scheme: dark) { :root { --ink: #e6ecf1; --paper: #14202b; --deep: #7cb9f0; --line: #3a4854; --doubt: #f0c272 } }
  @media print { :root { --ink: #000; --paper: #fff; --deep: #000; --line: #999; --doubt: #000 } }
  body { font: 1.05rem/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2.5rem auto; padding: 0 1rem; color: var(--ink); background: var(--paper); overflow-wrap: anywhere }
  h1 { font-size: 1.7rem; line-height: 1.25 }
  h2 { font-size: 1.25rem; margin-top: 2rem }
  a { color: var(--deep) }
  .text { white-space: pre-line }
  .unknown { color: var(--doubt) }
  table { border-collapse: collapse; width: 100% }
  tr { break-inside: avoid }
  th, td { text-align: start; vertical-align: top; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); min-width: 4rem }
  @media (max-width: 40rem) {
    thead { display: none }
    table, tbody, tr, td { display: block }
    tr { padding: .5rem 0; border-bottom: 1px solid var(--line) }
    td { border: 0; padding: .1rem 0; display: flex; flex-wrap: wrap; gap: 0 .6rem }
    td::before { content: attr(data-title); flex: 0 0 8rem; opacity: .75 }
    td > div { flex: 1 0 100%; padding-inline-start: 1rem }
    td > div:only-child { flex: 1; padding: 0 }
  }
</style>
<main>
  <h1><bdi>${title}</bdi></h1>
  ${body}
</main>
</html>`)
}
