/** Who is told of a revision by mail. */
import type { Db } from '../../../platform/db/connect.ts'
import type { AdvisoryContent } from '../content.ts'
import type { Recipient } from './recipients.ts'
import * as store from './store.ts'

export interface AudienceQuery {
  workspaceId: string
  advisoryId: string
  content: Pick<AdvisoryContent, 'vulnerabilities'>
}

/**
 * Contacts of cohorts and of customers with a device that runs an affected version, and whoever was told of an earlier
 * revision: they are to hear of its end, too. Each address is there once, with all its reasons. Other lists of people to tell
 * join here, with a kind of reason of their own.
 */
export async function listRecipients(db: Db, told: AudienceQuery): Promise<Recipient[]> {
  const { workspaceId, advisoryId, content } = told
  const versionIds = listAffected(content)
  const lists = [
    await store.listCohortRecipients(db, workspaceId, versionIds),
    await store.listCustomerRecipients(db, workspaceId, versionIds),
    await store.listEarlierRecipients(db, { workspaceId, advisoryId }),
  ]
  const byAddress = Map.groupBy(lists.flat(), ({ address }) => address)
  return [...byAddress].map(([address, of]) => ({
    address,
    reasons: of.flatMap(({ reasons }) => reasons),
  }))
}

/** Of a version of which nobody has decided nothing can be told that its users could do. */
function listAffected({ vulnerabilities }: AudienceQuery['content']): string[] {
  const ids = vulnerabilities.flatMap(({ statuses }) =>
    statuses.flatMap(({ firmwareVersionId, status }) =>
      status === 'KnownAffected' ? [firmwareVersionId] : [],
    ),
  )
  return [...new Set(ids)]
}
