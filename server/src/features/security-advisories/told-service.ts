/** Which published advisories say something of which versions: for those who read them without an account. */
import { type JsonObject, isObject, listObjects } from '../../formats/sboms/json-values.ts'
import type { Db } from '../../platform/db/connect.ts'
import { listProducts } from './content.ts'
import { renderAdvisory } from './pages.ts'
import { readPublisherSettings } from './publisher-service.ts'
import * as publishers from './publisher-store.ts'
import * as store from './told-store.ts'
import type { AppContext } from '../../platform/context.ts'

export interface ToldAdvisory {
  trackingId: string
  title: string
  publishedAt: Date
  /** `2026/acme-2026-0001`. */
  name: string
  /** Of those asked for, the versions that the last revision names. */
  firmwareVersionIds: string[]
}

type Reading = Pick<AppContext, 'db' | 'config'>

/** The newest first. Drafts, and changes that were not published, say nothing. */
export async function listAdvisoriesOfVersions(
  { db, config }: Reading,
  workspaceId: string,
  firmwareVersionIds: readonly string[],
): Promise<ToldAdvisory[]> {
  if (firmwareVersionIds.length === 0) return []
  const { publisher } = await readPublisherSettings({ config }, db, workspaceId)
  const rows = await store.listPublishedAbout(db, workspaceId, firmwareVersionIds)
  const asked = new Set(firmwareVersionIds)
  return rows.flatMap(({ content, document, path, ...row }) => {
    const named = listStatedRefs(JSON.parse(document) as JsonObject)
    const products = [...listProducts(content.products, publisher.name)]
    const ids = products.flatMap(([id, { ref }]) => (asked.has(id) && named.has(ref) ? id : []))
    if (ids.length === 0) return []
    return { ...row, name: path.replace(/\.json$/, ''), firmwareVersionIds: ids }
  })
}

/** Products of which a vulnerability says something. A withdrawal says nothing of any. */
function listStatedRefs(csaf: JsonObject): Set<string> {
  const statuses = listObjects(csaf['vulnerabilities']).map((one) => one['product_status'])
  const lists = statuses.flatMap((status) => (isObject(status) ? Object.values(status) : []))
  return new Set(lists.flatMap((refs) => (Array.isArray(refs) ? refs.map(String) : [])))
}

/** The last revision as it was published; undefined: there is none. */
export async function findPublishedDocument(db: Db, workspaceId: string, name: string) {
  return publishers.findPublished(db, workspaceId, `${name}.json`)
}

/** The page for people of a published document. */
export function renderPublished(
  { document, sha512 }: { document: string; sha512: string },
  links: { url: string; listUrl: string },
): string {
  return renderAdvisory({
    document: JSON.parse(document) as JsonObject,
    published: { sha512, ...links },
  })
}
