/** A mail about alerts as HTML. */
import { renderHtml, type Html } from '../../../platform/html.ts'
import {
  renderAnchor,
  isolateDirection,
  LINE,
  renderMailPage,
  renderParagraph,
} from '../../../platform/mail/page.ts'
import type { ItemTable, Letter, Link, Section, Tone } from './letter.ts'

const COLOURS: Readonly<Record<Tone, string>> = {
  Firing: '#b3261e',
  Resolved: '#1b6e3c',
  Ended: '#7a5200',
  Neutral: '#0b5394',
}

const CELL = 'text-align:left;vertical-align:top;padding:8px 12px 8px 0'

export function renderLetter(letter: Letter): string {
  const { subject, tone, workspaceName, mark, title, paragraphs, facts, items, link } = letter
  return renderMailPage({
    subject,
    card: renderHtml`${markLine({ tone, mark, after: renderHtml` <span class="hint" style="color:#4a5a68;font-weight:normal">in ${isolateDirection(workspaceName)}</span>` })}
<h1 style="margin:0 0 16px;font-size:22px;line-height:1.3">${isolateDirection(title)}</h1>
${paragraphs.map(renderParagraph)}
${factTable(facts)}
${items && itemTable(items)}
${letter.sections.map(section)}
${letter.moreSections === null ? null : renderParagraph(letter.moreSections)}
${link && button(link)}`,
    foot: renderHtml`${letter.reasons.map((reason) => renderHtml`<p style="margin:0 0 8px">${isolateDirection(reason)}</p>`)}
${letter.unsubscribe && renderHtml`<p style="margin:0">${renderAnchor(letter.unsubscribe)}</p>`}`,
  })
}

/** The word says all that the colour says. */
function markLine({ tone, mark, after }: { tone: Tone; mark: string; after: Html | null }): Html {
  const colour = COLOURS[tone]
  return renderHtml`<p class="${tone}" style="margin:0 0 8px;padding:0 0 0 10px;border-left:4px solid ${colour};color:${colour};font-size:14px;font-weight:bold">${mark}${after}</p>`
}

/** Lines break between words only, not within a date. */
function unbroken(text: string): Html[] {
  return text.split(' ').map((word) => renderHtml`<span style="white-space:nowrap">${word}</span>`)
}

function factTable(facts: Letter['facts']): Html | null {
  if (facts.length === 0) return null
  const rows = facts.map(
    ({ name, value }) =>
      renderHtml`<tr><th scope="row" class="name line" style="${CELL};width:32%;border-top:${LINE};color:#4a5a68;font-weight:normal">${name}</th><td class="line" style="${CELL};border-top:${LINE}">${isolateDirection(value)}</td></tr>`,
  )
  return table(rows)
}

function table(rows: readonly Html[]): Html {
  return renderHtml`<table style="width:100%;margin:4px 0 16px;border-collapse:collapse;font-size:15px;line-height:1.4">\n${rows}\n</table>`
}

/** Leaves empty columns out. */
function itemTable({ title, rows, more }: ItemTable): Html {
  const columns = (['value', 'since'] as const).filter((one) => rows.some((row) => row[one] !== ''))
  const head = ['name', ...columns].map(
    (name) =>
      renderHtml`<th scope="col" class="name" style="${CELL};color:#4a5a68;font-weight:normal;overflow-wrap:normal${name === 'name' ? ';width:45%' : ''}">${HEADS[name]}</th>`,
  )
  const body = rows.map((row) => {
    const { label, url } = row
    const cells = columns.map(
      (column) =>
        renderHtml`<td class="line" style="${CELL};border-top:${LINE};overflow-wrap:normal">${unbroken(row[column])}</td>`,
    )
    return renderHtml`<tr><th scope="row" class="line" style="${CELL};border-top:${LINE};font-weight:bold">${url === null ? isolateDirection(label) : renderHtml`<bdi>${renderAnchor({ label, url })}</bdi>`}</th>${cells}</tr>`
  })
  const heading = renderHtml`<h2 style="margin:20px 0 0;font-size:17px;line-height:1.3">${title}</h2>`
  const rest = more === null ? null : renderParagraph(more)
  return renderHtml`${heading}\n${table([renderHtml`<tr>${head}</tr>`, ...body])}\n${rest}`
}

const HEADS: Readonly<Record<string, string>> = { name: 'Name', value: 'Value', since: 'Since' }

function section({ tone, mark, title, paragraphs, link }: Section): Html {
  return renderHtml`<div class="line" style="margin:16px 0 0;padding:16px 0 0;border-top:${LINE}">
${markLine({ tone, mark, after: null })}
<h2 style="margin:0 0 8px;font-size:17px;line-height:1.3">${isolateDirection(title)}</h2>
${paragraphs.map(renderParagraph)}
${link && renderHtml`<p style="margin:0 0 12px">${renderAnchor(link)}</p>`}
</div>`
}

function button({ label, url }: Link): Html {
  return renderHtml`<p style="margin:20px 0 4px"><a class="button" href="${url}" style="display:inline-block;padding:11px 20px;border-radius:4px;background:#0b5394;color:#ffffff;font-weight:bold;text-decoration:none">${label}</a></p>`
}
