/** The frame of every printed report, and its parts. It runs nothing and loads nothing. */
import { formatCountOf, formatNumber } from '../../../formats/counts.ts'
import { renderHtml, type Html, type HtmlPart } from '../../../platform/html.ts'
import { STYLE, type Width } from './style.ts'
import { formatTime } from './words.ts'

/** Where a report comes from: stands on each. */
export interface Imprint {
  workspaceName: string
  publicUrl: string
  /** Who asked for it, in words. */
  printedBy: string
  printedAt: Date
  /** The instant that it shows. Default: when it was printed. */
  asOf?: Date
}

interface Sheet {
  kind: string
  title: string
  imprint: Imprint
  /** The path of the portal's page about the same. */
  page: string
  body: HtmlPart
}

export function renderSheet({ kind, title, imprint, page, body }: Sheet): string {
  const { workspaceName, publicUrl, printedBy, printedAt, asOf = printedAt } = imprint
  const when = formatTime(printedAt)
  const shown = formatTime(asOf)
  const meaning =
    asOf === printedAt
      ? 'All numbers are of one moment, and change with new records, decisions and reports of devices.'
      : `It shows what was known and decided on ${shown}; names of vulnerabilities are of now.`
  return String(renderHtml`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${kind}: ${title}, ${shown}</title>
<style>${STYLE}</style>
</head>
<body>
<p class="screen">This page is made for paper: print it, or save it as PDF, with the print command of your browser.</p>
<header>
<div class="kind">${kind}</div>
<h1>${title}</h1>
<p class="small">${workspaceName}. As of ${shown}. Printed by ${printedBy}.</p>
</header>
<main>
${body}
</main>
<footer class="small">
<p>Made by Plimsoll for ${printedBy} on ${when}. ${meaning} Times are in UTC. The same on the screen, as it is now: ${publicUrl}${page}</p>
</footer>
</body>
</html>
`)
}

/** Texts are paragraphs. */
export function renderSection(title: string, ...parts: readonly (string | Html | null)[]): Html {
  return renderHtml`<section>
<h2>${title}</h2>
${parts.map((part) => (typeof part === 'string' ? renderHtml`<p>${part}</p>` : part))}
</section>`
}

/** Terms and what holds of each; those without a value are left out. */
export function renderFacts(facts: readonly (readonly [string, HtmlPart])[]): Html {
  const known = facts.filter(([, value]) => value !== null && value !== undefined)
  return renderHtml`<dl>
${known.map(([term, value]) => renderHtml`<dt>${term}</dt><dd>${value}</dd>`)}
</dl>`
}

export interface SheetColumn<Row> {
  title: string
  isNumber?: boolean
  /** Default: what others leave. */
  width?: Width
  cell: (row: Row) => HtmlPart
}

export function renderTable<Row>(columns: readonly SheetColumn<Row>[], rows: readonly Row[]): Html {
  const kind = ({ isNumber }: SheetColumn<Row>) => (isNumber === true ? 'number' : 'text')
  return renderHtml`<div class="table"><table>
<colgroup>${columns.map(({ width }) => renderHtml`<col class="${width === undefined ? 'rest' : `w${width}`}">`)}</colgroup>
<thead><tr>${columns.map((column) => renderHtml`<th scope="col" class="${kind(column)}">${column.title}</th>`)}</tr></thead>
<tbody>
${rows.map((row) => renderHtml`<tr>${columns.map((column) => renderHtml`<td class="${kind(column)}">${column.cell(row)}</td>`)}</tr>`)}
</tbody>
</table></div>`
}

/** A cell: what it is about, and further lines below. */
export function renderCell(head: string, lines: readonly (string | null)[]): Html {
  const more = lines.filter((line) => line !== null && line !== '')
  return renderHtml`<b>${head}</b>${more.map((line) => renderHtml`<div>${line}</div>`)}`
}

export const renderList = (items: readonly string[]): Html => renderHtml`<ul>
${items.map((item) => renderHtml`<li>${item}</li>`)}
</ul>`

export const renderWarning = (text: string): Html => renderHtml`<p class="warning">${text}</p>`

/** Says how much a table lacks; null: nothing. */
export const describeLeftOut = (total: number, shown: number, noun: string): string | null =>
  total > shown
    ? `The table has the first ${formatNumber(shown)} of ${formatCountOf(total, noun)}.`
    : null
