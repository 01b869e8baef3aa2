/** The notice of a firmware version: its components by licence, with the texts of the licences that SPDX lists. */
import { readFileSync } from 'node:fs'
import parse from 'spdx-expression-parse'
import { formatCountOf } from '../../formats/counts.ts'
import { readCode } from '../../platform/errors.ts'
import { renderHtml } from '../../platform/html.ts'

export interface NoticedComponent {
  name: string
  version: string | null
  supplier: string | null
  licence: string | null
}

interface Notice {
  title: string
  componentCount: number
  groups: { licence: string; components: string[] }[]
  texts: { id: string; name: string; text: string }[]
  /** Licences that are named, and whose texts SPDX does not list. */
  withoutText: string[]
}

const NOT_STATED = 'No licence is stated'
const REMARK =
  'Made from what SBOMs state. They do not carry the copyright lines and the notices of the components: these are in their sources. A text in <angle brackets> stands for what each author fills in.'

export function writeNotice(title: string, components: readonly NoticedComponent[]): Notice {
  const byLicence = Map.groupBy(components, ({ licence }) => licence ?? NOT_STATED)
  const groups = [...byLicence]
    .map(([licence, members]) => ({ licence, components: [...new Set(members.map(nameOf))] }))
    .toSorted((one, other) => rankOf(one.licence) - rankOf(other.licence) || compare(one, other))
  const ids = [...new Set(groups.flatMap(({ licence }) => listIds(licence)))].toSorted()
  const read = ids.map((id) => ({ id, ...readText(id) }))
  const texts = read.flatMap(({ id, name, text }) =>
    name === undefined || text === undefined ? [] : [{ id, name, text }],
  )
  const withoutText = [
    ...read.filter(({ text }) => text === undefined).map(({ id }) => id),
    ...groups
      .map(({ licence }) => licence)
      .filter((licence) => licence !== NOT_STATED && listIds(licence).length === 0),
  ]
  return { title, componentCount: components.length, groups, texts, withoutText }
}

const rankOf = (licence: string) => (licence === NOT_STATED ? 0 : 1)
const compare = (one: { licence: string }, other: { licence: string }) =>
  one.licence < other.licence ? -1 : 1

const nameOf = ({ name, version, supplier }: NoticedComponent) =>
  [name, version, supplier === null ? undefined : `(${supplier})`]
    .filter((part) => part !== undefined && part !== null)
    .join(' ')

/** Of licences and exceptions; none where it is no expression. */
function listIds(licence: string): string[] {
  try {
    return collectIds(parse(licence.slice(0, 5_000)))
  } catch {
    return []
  }
}

function collectIds(expression: ReturnType<typeof parse>): string[] {
  const ids: string[] = []
  const waiting = [expression]
  for (let one = waiting.pop(); one; one = waiting.pop()) {
    if ('conjunction' in one) waiting.push(one.right, one.left)
    else ids.push(one.license, ...(one.exception === undefined ? [] : [one.exception]))
  }
  return ids
}

function readText(id: string): { name?: string; text?: string } {
  if (!/^[\w.-]+$/.test(id)) return {}
  const folder = import.meta.resolve('spdx-license-list/package.json')
  try {
    const { name, licenseText } = JSON.parse(
      readFileSync(new URL(`licenses/${id}.json`, folder), 'utf8'),
    ) as { name: string; licenseText: string }
    return { name, text: licenseText.trim() }
  } catch (error) {
    if (readCode(error) !== 'ENOENT') throw error
    return {}
  }
}

const RULE = '='.repeat(79)

export function formatNoticeText(notice: Notice): string {
  const { title, componentCount, groups, texts, withoutText } = notice
  const parts = [
    `${title}\n${formatCountOf(componentCount, 'component')}\n\n${REMARK}`,
    ...groups.map(
      ({ licence, components }) =>
        `${licence}\n${components.map((component) => `  - ${component}`).join('\n')}`,
    ),
    ...(withoutText.length === 0
      ? []
      : [`Without a text here, as SPDX lists none: ${withoutText.join(', ')}`]),
    ...texts.map(({ id, name, text }) => `${RULE}\n${name} (${id})\n${RULE}\n\n${text}`),
  ]
  return `${parts.join('\n\n')}\n`
}

const STYLE = `body { font: 15px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; color-scheme: light dark }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 13px }
h2 { font-size: 1.1rem; margin-top: 2rem }`

export function renderNotice(notice: Notice): string {
  const { title, componentCount, groups, texts, withoutText } = notice
  const lists = groups.map(
    ({ licence, components }) => renderHtml`<h2>${licence}</h2>
<ul>${components.map((component) => renderHtml`<li>${component}</li>`)}</ul>`,
  )
  const missing =
    withoutText.length === 0
      ? null
      : renderHtml`<p>Without a text here, as SPDX lists none: ${withoutText.join(', ')}</p>`
  return String(renderHtml`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${title}</h1>
<p>${formatCountOf(componentCount, 'component')}. ${REMARK}</p>
${lists}
${missing}
${texts.map(({ id, name, text }) => renderHtml`<h2>${name} (${id})</h2><pre>${text}</pre>`)}
</body>
</html>
`)
}
