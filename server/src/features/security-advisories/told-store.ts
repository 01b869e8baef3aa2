import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'
import type { AdvisoryContent } from './content.ts'

interface PublishedAbout {
  trackingId: string
  title: string
  publishedAt: Date
  path: string
  document: string
  content: AdvisoryContent
}

const MOST = 200

/** Last revisions of advisories whose products are among these versions, the newest first. */
export async function listPublishedAbout(
  db: Db,
  workspaceId: string,
  firmwareVersionIds: readonly string[],
): Promise<PublishedAbout[]> {
  const { rows } = await sql<PublishedAbout>`
    select advisory.tracking_id, last.title, last.published_at, last.path, last.document, advisory.content
    from security_advisories as advisory
    cross join lateral (
      select revision.title, revision.path, revision.document, revision.is_withdrawal, revision.published_at
      from security_advisory_revisions as revision
      where revision.workspace_id = ${workspaceId} and revision.advisory_id = advisory.id
      order by revision.number desc limit 1) as last
    where advisory.workspace_id = ${workspaceId} and advisory.tracking_id is not null and not last.is_withdrawal and exists (
      select from jsonb_array_elements(advisory.content -> 'products') as product
      where product ->> 'firmwareVersionId' = any(${firmwareVersionIds}::text[]))
    order by last.published_at desc, advisory.tracking_id desc limit ${MOST}`.execute(db)
  return rows
}
