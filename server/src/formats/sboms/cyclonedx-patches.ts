/**
 * CycloneDX 1.2 to 1.7, `component.pedigree.patches`: the vulnerabilities that patches of a build resolve. Buildroot's
 * utils/generate-cyclonedx and Yocto's meta-cyclonedx write them.
 */
import { type BuildFact, noteBuildFact, quoteWords } from './build-facts.ts'
import type { Draft } from './draft.ts'
import { isObject, isText, listObjects, readText, type JsonObject } from './json-values.ts'
import { findCveIds, findCveIdsInFileName, findGhsaIds } from './vulnerability-ids.ts'

interface PatchedId {
  id: string
  aliases: string[]
  /** `stated`: the patch says that it resolves it. `named`: only its file is called so. */
  by: 'stated' | 'named'
  patch: JsonObject
}

/** Notes each vulnerability of a component once, by what states it best. */
export function notePatches(
  { pedigree }: JsonObject,
  draft: Draft,
  { element, where }: { element: number; where: () => string },
): void {
  if (!isObject(pedigree)) return
  const patched = new Map<string, PatchedId & { pointer: string }>()
  listObjects(pedigree['patches']).forEach((patch, i) => {
    for (const one of listIds(patch)) {
      const known = patched.get(one.id)
      if (known === undefined || (known.by === 'named' && one.by === 'stated'))
        patched.set(one.id, { ...one, pointer: `${where()}/pedigree/patches/${i}` })
    }
  })
  for (const one of patched.values()) noteBuildFact(draft, element, createFact(one))
}

function listIds(patch: JsonObject): PatchedId[] {
  const resolved = listObjects(patch['resolves']).flatMap((issue) => idsOfIssue(issue))
  const header = readHeader(patch).flatMap((line) => findCveIds(line))
  const stated = [...resolved, ...header.map((id) => ({ id, aliases: [] }))]
  const named = findCveIdsInFileName(readUrl(patch) ?? '')
  return [
    ...stated.map((one): PatchedId => ({ ...one, by: 'stated', patch })),
    ...named.map((id): PatchedId => ({ id, aliases: [], by: 'named', patch })),
  ]
}

/** The issue's id, else its name. Some tools list several CVEs in one issue. */
function idsOfIssue(issue: JsonObject): { id: string; aliases: string[] }[] {
  const [id, name] = [readText(issue['id']), readText(issue['name'])]
  const text = [id, name].filter(isText).join(' ')
  const [cves, ghsas] = [findCveIds(text), findGhsaIds(text)]
  const [only, ...others] = cves
  if (only !== undefined)
    return others.length === 0 ? [{ id: only, aliases: ghsas }] : cves.map(withoutAliases)
  if (ghsas.length > 0) return ghsas.map(withoutAliases)
  // Other ids mean a vulnerability only where the issue says that it is one.
  const other = id ?? name
  const isId = other !== undefined && /^[A-Za-z][\w.]*-[\w.:-]+$/.test(other)
  return issue['type'] === 'security' && isId ? [{ id: other, aliases: [] }] : []
}

const withoutAliases = (id: string) => ({ id, aliases: [] as string[] })

/** The line by which recipes of Yocto and Buildroot name the CVE a patch is for. */
const CVE_LINE = /^CVE:\s*(.+)$/gim
const FIRST_CHANGE = /^(?:diff |--- |Index: )/m

function readHeader({ diff }: JsonObject): string[] {
  const text = isObject(diff) && isObject(diff['text']) ? diff['text'] : {}
  const content = text['encoding'] === undefined ? readText(text['content']) : undefined
  if (content === undefined) return []
  const change = content.search(FIRST_CHANGE)
  const header = change < 0 ? content : content.slice(0, change)
  return [...header.matchAll(CVE_LINE)].map(([, ids = '']) => ids)
}

const readUrl = ({ diff }: JsonObject) => (isObject(diff) ? readText(diff['url']) : undefined)

const KINDS: ReadonlySet<unknown> = new Set(['unofficial', 'monkey', 'backport', 'cherry-pick'])

function createFact({
  id,
  aliases,
  by,
  patch,
  pointer,
}: PatchedId & { pointer: string }): BuildFact {
  const type = KINDS.has(patch['type']) ? ` (${String(patch['type'])})` : ''
  const url = readUrl(patch)
  const from = url === undefined ? '' : ` ${quoteWords(url)}`
  return {
    vulnerability: id,
    aliases,
    assessment: 'Resolved',
    detail:
      by === 'stated'
        ? `The build applies a patch${type}${from} that resolves ${id}.`
        : `The build applies a patch${type} that is called${from}; the name alone says that it is for ${id}.`,
    pointer,
    original: {
      type: patch['type'],
      ...(url !== undefined && { diff: { url } }),
      resolves: patch['resolves'],
    },
  }
}
