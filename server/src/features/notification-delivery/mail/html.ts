/** A mail about alerts as HTML. */
import { html, type Html } from '../../../platform/html.ts'
import { anchor, bdi, LINE, mailPage, paragraph } from '../../../platform/mail/page.ts'
import type { ItemTable, Letter, Link, Section, Tone } from './letter.ts'

const COLOURS: Readonly<Record<Tone, string>> = {
  Firing: '#b3261e',
  Resolved: '#1b6e3c',
  Ended: '#7a5200',
  Neutral: '#0b5394',
}

const CELL = 'text-align:left;vertical-align:top;padding:8px 12px 8px 0'

export function htmlOf(letter: Letter): string {
  const { subject, tone, workspaceName, mark, title, paragraphs, facts, items, link } = letter
  return mailPage({
    subject,
    card: html`${markLine({ tone, mark, after: html` <span class="hint" style="color:#4a5a68;font-weight:normal">in ${bdi(workspaceName)}</span>` })}
<h1 style="margin:0 0 16px;font-size:22px;line-height:1.3">${bdi(title)}</h1>
${paragraphs.map(paragraph)}
${factTable(facts)}
${items && itemTable(items)}
${letter.sections.map(section)}
${letter.moreSections === null ? null : paragraph(letter.moreSections)}
${link && button(link)}`,
    foot: html`${letter.reasons.map((reason) => html`<p style="margin:0 0 8px">${bdi(reason)}</p>`)}
${letter.unsubscribe && html`<p style="margin:0">${anchor(letter.unsubscribe)}</p>`}`,
  })
}

/** The word says all that the colour says. */
function markLine({ tone, mark, after }: { tone: Tone; mark: string; after: Html | null }): Html {
  const colour = COLOURS[tone]
  return html`<p class="${tone}" style="margin:0 0 8px;padding:0 0 0 10px;border-left:4px solid ${colour};color:${colour};font-size:14px;font-weight:bold">${mark}${after}</p>`
}

/** Lines break between words only, not within a date. */
function unbroken(text: string): Html[] {
  return text.split(' ').map((word) => html`<span style="white-space:nowrap">${word}</span>`)
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
    const { label, url } = row
    const cells = columns.map(
      (column) =>
        html`<td class="line" style="${CELL};border-top:${LINE};overflow-wrap:normal">${unbroken(row[column])}</td>`,
    )
    return html`<tr><th scope="row" class="line" style="${CELL};border-top:${LINE};font-weight:bold">${url === null ? bdi(label) : html`<bdi>${anchor({ label, url })}</bdi>`}</th>${cells}</tr>`
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

function button({ label, url }: Link): Html {
  return html`<p style="margin:20px 0 4px"><a class="button" href="${url}" style="display:inline-block;padding:11px 20px;border-radius:4px;background:#0b5394;color:#ffffff;font-weight:bold;text-decoration:none">${label}</a></p>`
}
