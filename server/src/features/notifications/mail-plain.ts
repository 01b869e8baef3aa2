/** A mail as plain text. */
import type { ItemTable, Letter, Link, Section } from './mail-letter.ts'

export function plainOf(letter: Letter): string {
  const { title, paragraphs, facts, items, sections, moreSections, link } = letter
  const blocks = [
    title,
    ...paragraphs,
    facts.map(({ name, value }) => `${name}: ${value}`).join('\n'),
    items ? itemsText(items) : '',
    ...sections.map(sectionText),
    moreSections ?? '',
    link ? linkText(link) : '',
    [...letter.reasons, ...(letter.leave ? [linkText(letter.leave)] : [])].join('\n'),
  ]
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}

function itemsText({ title, rows, more }: ItemTable): string {
  const lines = rows.map(({ label, value, since }) => {
    const said = value === '' ? label : `${label}: ${value}`
    return since === '' ? `- ${said}` : `- ${said}, since ${since}`
  })
  return [`${title}:`, ...lines, ...(more === null ? [] : [more])].join('\n')
}

function sectionText({ mark, title, paragraphs, link }: Section): string {
  const lines = [`* ${mark}: ${title}`, ...paragraphs, ...(link ? [link.url] : [])]
  return lines.join('\n  ')
}

function linkText({ label, url }: Link): string {
  return `${label}: ${url}`
}
