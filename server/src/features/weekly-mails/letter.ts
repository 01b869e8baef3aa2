/** The text and the HTML of a weekly mail. */
import { formatAcceptanceDay } from '../../formats/acceptances.ts'
import { formatCountOf, formatNumber } from '../../formats/counts.ts'
import { formatPortalPath } from '../../formats/portal-pages.ts'
import { lowerWords } from '../../formats/words.ts'
import { renderHtml, type Html } from '../../platform/html.ts'
import type { Letter } from '../../platform/mail/letter.ts'
import {
  renderAnchor,
  isolateDirection,
  HINT,
  LINE,
  renderMailPage,
  renderParagraph,
} from '../../platform/mail/page.ts'
import { cleanLine } from '../../platform/plain-line.ts'
import type {
  AcceptedRow,
  CountedRows,
  DecisionRow,
  VulnerabilityRow,
  WeeklyFacts,
} from './facts.ts'
import type { Week } from './week.ts'

export interface WeeklyLetter {
  workspaceId: string
  workspaceName: string
  publicUrl: string
  timeZone: string
  week: Week
  told: WeeklyFacts
  /** What belongs to the reader. */
  own: CountedRows<VulnerabilityRow>
  personId: string
  unsubscribeUrl: string
}

interface Entry {
  /** What it is about, as the text of its link. */
  id: string
  url: string
  text: string
  isUrgent: boolean
}

interface Chapter {
  title: string
  /** In place of entries where there are none. */
  none: string
  entries: readonly Entry[]
  all: { label: string; url: string }
}

const MOST = { subject: 200, workspace: 60, text: 160, figure: 300 } as const

export function writeWeeklyLetter(source: WeeklyLetter): Letter {
  const name = cleanLine(source.workspaceName, MOST.workspace)
  const { fresh, overdue } = source.told
  const what = `${formatCount(fresh)} new, ${formatCount(overdue)} overdue`
  const subject = cleanLine(`[${name}] The week: ${what}`, MOST.subject)
  const opening = writeOpening(source.told.exploited)
  const head = `${name}, ${formatDays(source)}`
  const chapters = listChapters(source)
  const reason = `You get this because you asked for the weekly mail of the workspace ${name}.`
  const links = [
    { label: 'Change when it comes', url: source.publicUrl + formatPortalPath('you', source) },
    { label: 'Send me no more', url: source.unsubscribeUrl },
  ]
  return {
    subject,
    text: [
      head,
      opening,
      ...chapters.map(chapterText),
      ...listSeal(source.told),
      [reason, ...links.map(({ label, url }) => `${label}: ${url}`)].join('\n'),
    ].join('\n\n'),
    html: renderMailPage({
      subject,
      card: renderHtml`<p class="hint" style="margin:0 0 8px;${HINT}">${isolateDirection(head)}</p>
<h1 style="margin:0 0 16px;font-size:20px;line-height:1.35">${opening}</h1>
${chapters.map(chapterHtml)}`,
      foot: renderHtml`${listSeal(source.told).map((text) => renderHtml`<p style="margin:0 0 8px;overflow-wrap:anywhere">${text}</p>`)}
<p style="margin:0 0 8px">${isolateDirection(reason)}</p>
${links.map((link) => renderHtml`<p style="margin:0 0 8px">${renderAnchor(link)}</p>`)}`,
    }),
  }
}

/** Who keeps the mail can show later whether the audit log was changed. */
const listSeal = ({ seal }: WeeklyFacts): string[] =>
  seal
    ? [
        `Seal of the audit log until ${seal.day}: ${seal.seal}. Keep this mail: it shows whether anything before was changed.`,
      ]
    : []

const formatCount = ({ total, isLowerBound }: CountedRows<unknown>) =>
  `${formatNumber(total)}${isLowerBound ? ' or more' : ''}`

/** The days of the reader, the first and the last: "16 – 23 November 2026". */
function formatDays({ week: { since, until }, timeZone }: WeeklyLetter): string {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone })
  // It puts thin spaces around its dash.
  return format.formatRange(since, until).replaceAll(/\s/g, ' ')
}

function writeOpening(facts: WeeklyFacts['exploited']): string {
  const { devices, exploited, unknown, exploitedWeekAgo } = facts
  if (devices === unknown) return 'No device reports firmware that is known here.'
  const who = exploited === 0 ? 'None' : formatNumber(exploited)
  const run = exploited === 0 || exploited === 1 ? 'runs' : 'run'
  const now = `${who} of ${formatCountOf(devices, 'device', 'devices')} ${run} firmware with known-exploited vulnerabilities${unknown === 0 ? '' : `, and of ${formatNumber(unknown)} it is unknown`}`
  if (exploitedWeekAgo === undefined) return `${now}.`
  const change = exploited - exploitedWeekAgo
  if (change === 0) return `${now}; as many as a week ago.`
  return `${now}; ${formatNumber(Math.abs(change))} ${change < 0 ? 'fewer' : 'more'} than a week ago.`
}

function listChapters(source: WeeklyLetter): Chapter[] {
  const { told, publicUrl, workspaceId } = source
  const { fresh, decided, overdue } = told
  const base = publicUrl + formatPortalPath('overview', { workspaceId })
  const pageOf = (cveId: string) =>
    publicUrl + formatPortalPath('vulnerability', { workspaceId, cveId })
  const worst = ({ rows }: CountedRows<VulnerabilityRow>) =>
    rows.map((row) => createEntry(pageOf(row.cveId), row))
  return [
    ...createOwn(source, base),
    {
      title: `New: ${formatCount(fresh)}`,
      none: 'No vulnerability is new.',
      entries: worst(fresh),
      all: { label: 'All that is new', url: `${base}/findings?show=active&since=7` },
    },
    {
      title: `Decided: ${formatCount(decided)}`,
      none: 'Nothing was decided.',
      entries: decided.rows.map((row) => decisionEntry(pageOf(row.cveId), row)),
      all: {
        label: 'All decisions',
        url: `${base}/settings/audit-log?contains=vulnerability-finding`,
      },
    },
    {
      title: `Overdue: ${formatCount(overdue)}`,
      none: 'Nothing is overdue.',
      entries: worst(overdue),
      all: { label: 'All that is overdue', url: `${base}/findings?show=active&overdue=1` },
    },
    ...createAccepted(source, base),
    ...createOwned(source, base),
    createFigures(source, base),
  ]
}

/** Where owners are, how much each has. */
function createOwned({ told: { owned } }: WeeklyLetter, base: string): Chapter[] {
  if (owned.total === 0) return []
  const entries = owned.rows.map(({ id, name, activeCount, criticalCount }) => {
    const critical = criticalCount === 0 ? '' : `, ${formatNumber(criticalCount)} critical`
    return {
      id: cleanLine(name, MOST.workspace),
      url: `${base}/findings?show=active&group=single&assignee=${id ?? 'nobody'}`,
      text: `${formatNumber(activeCount)} active${critical}`,
      isUrgent: false,
    }
  })
  const all = { label: 'All owners', url: `${base}/settings/owners` }
  return [{ title: 'Active, by owner', none: '', entries, all }]
}

/** Where something belongs to the reader. */
function createOwn(source: WeeklyLetter, base: string): Chapter[] {
  const { own, personId, publicUrl, workspaceId } = source
  if (own.total === 0) return []
  const url = `${base}/findings?show=active&group=single&assignee=${personId}`
  const entries = own.rows.map((row) => {
    const page = formatPortalPath('vulnerability', { workspaceId, cveId: row.cveId })
    return createEntry(publicUrl + page, row)
  })
  const title = `Yours and your teams’: ${formatCount(own)}`
  return [{ title, none: '', entries, all: { label: 'All that is yours', url } }]
}

/** Where nothing ends and nothing ended, they are not told of. */
function createAccepted({ told: { accepted } }: WeeklyLetter, base: string): Chapter[] {
  const chapter = (title: string, { rows, total }: CountedRows<AcceptedRow>, state: string) => ({
    title: `${title}: ${formatNumber(total)}`,
    none: '',
    entries: rows.map((row) => acceptedEntry(`${base}/accepted-risks`, row)),
    all: { label: 'All of them', url: `${base}/accepted-risks?${state}` },
  })
  const { ending, ended } = accepted
  return [
    ...(ending.total > 0
      ? [chapter('Accepted risks that end within a week', ending, 'within=7')]
      : []),
    ...(ended.total > 0 ? [chapter('Accepted risks that ended', ended, 'state=Ended')] : []),
  ]
}

function acceptedEntry(url: string, row: AcceptedRow): Entry {
  const { cveId, componentName, firmwareVersion, affectedDevices, ownerEmail, acceptance } = row
  const { name, firmware } = firmwareVersion
  const { until = null, ended = null } = acceptance ?? {}
  const end = ended
    ? `open again (${ended.causes.map((cause) => lowerWords(cause)).join(', ')})`
    : `until ${until === null ? 'further notice' : formatAcceptanceDay(until)}`
  const who = ownerEmail ?? 'nobody looks after it'
  const where = `${componentName} in ${firmware.name} ${name}`
  const devices = `on ${formatCountOf(affectedDevices, 'device', 'devices')}`
  return {
    id: cveId,
    url,
    text: cleanLine(`${end}, ${where}, ${devices}, ${who}`, MOST.text),
    isUrgent: ended !== null,
  }
}

function createFigures({ told: { figures }, publicUrl }: WeeklyLetter, base: string): Chapter {
  const { from, to, lines } = figures
  const url = `${base}/figures?from=${from}&to=${to}`
  return {
    title: `Figures of the four weeks until ${to}`,
    none: `There is too much for one answer, so that nothing was worked out. Ask for one firmware: ${url}`,
    entries: (lines ?? []).map(({ title, path, text }) => ({
      id: title,
      url: path === null ? url : publicUrl + path,
      text: cleanLine(text, MOST.figure),
      isUrgent: false,
    })),
    all: { label: 'What they mean', url },
  }
}

function createEntry(url: string, row: VulnerabilityRow): Entry {
  const { cveId, name, severity, affectedDeviceCount, components } = row
  const isExploited = row.isKnownCisaExploit || row.exploitedSources.length > 0
  const [component] = components
  const facts = [
    severity,
    ...(isExploited ? ['exploited'] : []),
    ...(component ? [[component.name, component.version].filter(Boolean).join(' ')] : []),
    `on ${formatCountOf(affectedDeviceCount, 'device', 'devices')}`,
  ]
  return {
    id: cveId,
    url,
    text: cleanLine(`${facts.join(', ')}: ${name}`, MOST.text),
    isUrgent: isExploited || severity === 'Critical',
  }
}

function decisionEntry(url: string, row: DecisionRow): Entry {
  const { cveId, decision, by, firmwareVersionCount } = row
  const where = `in ${formatCountOf(firmwareVersionCount, 'version', 'versions')}`
  const who = by === null ? '' : ` by ${by}`
  return {
    id: cveId,
    url,
    text: cleanLine(`${lowerWords(decision)} ${where}${who}`, MOST.text),
    isUrgent: false,
  }
}

function chapterText({ title, none, entries, all }: Chapter): string {
  if (entries.length === 0) return `${title}\n${none}`
  const lines = entries.map(({ id, text, url }) => `- ${id}: ${text}\n  ${url}`)
  return [title, ...lines, `${all.label}: ${all.url}`].join('\n')
}

function chapterHtml({ title, none, entries, all }: Chapter): Html {
  const heading = renderHtml`<h2 style="margin:0 0 8px;font-size:17px;line-height:1.3">${title}</h2>`
  const body =
    entries.length === 0
      ? renderParagraph(none)
      : renderHtml`${entries.map(entryHtml)}
<p style="margin:0 0 12px">${renderAnchor(all)}</p>`
  return renderHtml`<div class="line" style="margin:16px 0 0;padding:16px 0 0;border-top:${LINE}">
${heading}
${body}
</div>`
}

function entryHtml({ id, url, text, isUrgent }: Entry): Html {
  const weight = isUrgent ? 'bold' : 'normal'
  return renderHtml`<p style="margin:0 0 10px"><span style="font-weight:${weight}">${renderAnchor({ label: id, url })}</span><br>${isolateDirection(text)}</p>`
}
