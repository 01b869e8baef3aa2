/**
 * A mail as HTML. It loads nothing and runs nothing. Styles are attributes of the elements, because not all mail programs
 * read style sheets; those that have a dark mode do.
 */
import { html, type Html } from '../../../platform/html.ts'
import type { ItemTable, Letter, Link, Section, Tone } from './letter.ts'

const COLOURS: Readonly<Record<Tone, string>> = {
  Firing: '#b3261e',
  Resolved: '#1b6e3c',
  Ended: '#7a5200',
  Neutral: '#0b5394',
}

const DARK = html`
  :root { color-scheme: light dark; supported-color-schemes: light dark }
  @media (prefers-color-scheme: dark) {
    .page { background: #0e161d !important; color: #e6ecf1 !important }
    .card { background: #172530 !important; color: #e6ecf1 !important }
    .hint, .name { color: #a9b6c2 !important }
    .line { border-color: #34424f !important }
    .link { color: #7cb9f0 !important }
    .button { background: #7cb9f0 !important; color: #10202e !important }
    .Firing { color: #ff9d94 !important; border-color: #ff9d94 !important }
    .Resolved { color: #7fd6a0 !important; border-color: #7fd6a0 !important }
    .Ended { color: #f0c36d !important; border-color: #f0c36d !important }
    .Neutral { color: #7cb9f0 !important; border-color: #7cb9f0 !important }
  }`

const FONT = `font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif`
const LINE = '1px solid #d5dde3'
const CELL = 'text-align:left;vertical-align:top;padding:8px 12px 8px 0'
const HINT = 'color:#4a5a68;font-size:14px;line-height:1.5'

export function htmlOf(letter: Letter): string {
  const { subject, tone, workspaceName, mark, title, paragraphs, facts, items, link } = letter
  return String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${subject}</title>
<style>${DARK}
</style>
</head>
<body class="page" style="margin:0;padding:0;background:#eef2f5;color:#1a2733">
<div class="page" lang="en" style="${FONT};font-size:16px;line-height:1.5;padding:24px 12px;background:#eef2f5;color:#1a2733;overflow-wrap:anywhere">
<div class="card" style="max-width:600px;margin:0 auto;padding:24px;background:#ffffff;color:#1a2733;border-radius:6px">
${markLine({ tone, mark, after: html` <span class="hint" style="color:#4a5a68;font-weight:normal">in ${bdi(workspaceName)}</span>` })}
<h1 style="margin:0 0 16px;font-size:22px;line-height:1.3">${bdi(title)}</h1>
${paragraphs.map(paragraph)}
${factTable(facts)}
${items && itemTable(items)}
${letter.sections.map(section)}
${letter.moreSections === null ? null : paragraph(letter.moreSections)}
${link && button(link)}
</div>
<div class="hint" style="max-width:600px;margin:0 auto;padding:16px 24px;${HINT}">
${letter.reasons.map((reason) => html`<p style="margin:0 0 8px">${bdi(reason)}</p>`)}
${letter.unsubscribe && html`<p style="margin:0">${anchor(letter.unsubscribe)}</p>`}
</div>
</div>
</body>
</html>
`)
}

/** The word says all that the colour says. */
function markLine({ tone, mark, after }: { tone: Tone; mark: string; after: Html | null }): Html {
  const colour = COLOURS[tone]
  return html`<p class="${tone}" style="margin:0 0 8px;padding:0 0 0 10px;border-left:4px solid ${colour};color:${colour};font-size:14px;font-weight:bold">${mark}${after}</p>`
}

/** Isolates the direction of a name's letters from the text around it. */
function bdi(text: string): Html {
  return html`<bdi>${text}</bdi>`
}

/** Lines break between words only, not within a date. */
function unbroken(text: string): Html[] {
  return text.split(' ').map((word) => html`<span style="white-space:nowrap">${word}</span>`)
}

function paragraph(text: string): Html {
  return html`<p style="margin:0 0 12px">${bdi(text)}</p>`
}

function factTable(facts: Letter['facts']): Html | null {
  if (facts.length === 0) return null
  const rows = facts.map(
    ({ name, value }) =>
      html`<tr><th scope="row" class="name line" style="${CELL};width:32%;border-top:${LINE};color:#4a5a68;font-weight:normal">${name}</th><td class="line" style="${CELL};border-top:${LINE}">${bdi(value)}</td></tr>`,
  )
  return table(rows)
}

function table(rows: readonly Html[]): Html {
  return html`<table style="width:100%;margin:4px 0 16px;border-collapse:collapse;font-size:15px;line-height:1.4">\n${rows}\n</table>`
}

/** Leaves empty columns out. */
function itemTable({ title, rows, more }: ItemTable): Html {
  const columns = (['value', 'since'] as const).filter((one) => rows.some((row) => row[one] !== ''))
  const head = ['name', ...columns].map(
    (name) =>
      html`<th scope="col" class="name" style="${CELL};color:#4a5a68;font-weight:normal;overflow-wrap:normal${name === 'name' ? ';width:45%' : ''}">${HEADS[name]}</th>`,
  )
  const body = rows.map((row) => {
    const cells = columns.map(
      (column) =>
        html`<td class="line" style="${CELL};border-top:${LINE};overflow-wrap:normal">${unbroken(row[column])}</td>`,
    )
    return html`<tr><th scope="row" class="line" style="${CELL};border-top:${LINE};font-weight:bold">${bdi(row.label)}</th>${cells}</tr>`
  })
  const heading = html`<h2 style="margin:20px 0 0;font-size:17px;line-height:1.3">${title}</h2>`
  const rest = more === null ? null : paragraph(more)
  return html`${heading}\n${table([html`<tr>${head}</tr>`, ...body])}\n${rest}`
}

const HEADS: Readonly<Record<string, string>> = { name: 'Name', value: 'Value', since: 'Since' }

function section({ tone, mark, title, paragraphs, link }: Section): Html {
  return html`<div class="line" style="margin:16px 0 0;padding:16px 0 0;border-top:${LINE}">
${markLine({ tone, mark, after: null })}
<h2 style="margin:0 0 8px;font-size:17px;line-height:1.3">${bdi(title)}</h2>
${paragraphs.map(paragraph)}
${link && html`<p style="margin:0 0 12px">${anchor(link)}</p>`}
</div>`
}

function anchor({ label, url }: Link): Html {
  return html`<a class="link" href="${url}" style="color:#0b5394">${label}</a>`
}

function button({ label, url }: Link): Html {
  return html`<p style="margin:20px 0 4px"><a class="button" href="${url}" style="display:inline-block;padding:11px 20px;border-radius:4px;background:#0b5394;color:#ffffff;font-weight:bold;text-decoration:none">${label}</a></p>`
}
