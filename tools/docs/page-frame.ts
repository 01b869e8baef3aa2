/** What stands around a page of the site: its head, the list of all pages, its outline, and the pages before and after it. */
import { dirname, relative } from 'node:path'
import type { Section } from './search.ts'

export interface PageLink {
  address: string
  title: string
}

export interface Frame {
  address: string
  title: string
  html: string
  sections: readonly Section[]
  groups: readonly { title: string; links: readonly PageLink[] }[]
}

export function frame({ address, title, html, sections, groups }: Frame): string {
  const to = (other: string) => escapeHtml(relative(dirname(address), other))
  const order = groups.flatMap(({ links }) => links)
  const at = order.findIndex((one) => one.address === address)
  const beside = (name: string, one: PageLink | undefined) =>
    one
      ? `<a rel="${name}" href="${to(one.address)}">${name === 'prev' ? '←' : ''} ${escapeHtml(one.title)} ${name === 'next' ? '→' : ''}</a>`
      : '<span></span>'
  const outline = renderOutline(sections)
  const lists = groups.map(({ title: name, links }) => {
    const items = links.map(
      (one) =>
        `<li><a href="${to(one.address)}"${one.address === address ? ' aria-current="page"' : ''}>${escapeHtml(one.title)}</a></li>`,
    )
    return `<h2>${escapeHtml(name)}</h2><ul>${items.join('')}</ul>`
  })
  return `<!doctype html>
<html lang="en" data-top="${to('.') || '.'}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Plimsoll</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${to('site.css')}">
<script src="${to('site.js')}" defer></script>
<body>
<a class="skip" href="#content">To the text</a>
<header><a class="home" href="${to('index.html')}">Plimsoll <span>guides</span></a><div id="search"></div><a class="to-pages" href="#pages">All pages</a></header>
<main id="content" tabindex="-1">
${outline && withOutline(html, outline)}${outline === '' ? html : ''}
<nav class="beside" aria-label="Before and after">${at < 0 ? '' : beside('prev', order[at - 1]) + beside('next', order[at + 1])}</nav>
</main>
<nav id="pages" tabindex="-1" aria-label="All pages">${lists.join('\n')}</nav>
${outline && `<nav class="outline" aria-labelledby="outline-title"><h2 id="outline-title">On this page</h2>${outline}</nav>`}
</body>
</html>
`
}

/** On a narrow screen it stands below the title, closed. */
function withOutline(html: string, outline: string): string {
  const end = html.indexOf('</h1>') + '</h1>'.length
  return `${html.slice(0, end)}
<details class="outline"><summary>On this page</summary>${outline}</details>${html.slice(end)}`
}

const LEAST_HEADINGS = 2
const SHOWN_DEPTHS = new Set([2, 3])

function renderOutline(sections: readonly Section[]): string {
  const shown = sections.filter(({ depth }) => SHOWN_DEPTHS.has(depth))
  if (shown.length < LEAST_HEADINGS) return ''
  const items = shown.map(
    ({ depth, anchor, heading }) =>
      `<li class="depth-${depth}"><a href="#${anchor}">${escapeHtml(heading)}</a></li>`,
  )
  return `<ul>${items.join('')}</ul>`
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
