/** Ids of findings in SQL, as `finding-id.ts` writes and reads them. */
import { type RawBuilder, sql } from 'kysely'

export function encodedFindingId(finding: {
  firmwareVersionId: RawBuilder<unknown>
  packageId: RawBuilder<unknown>
  vulnerabilityId: RawBuilder<unknown>
}): RawBuilder<string> {
  const { firmwareVersionId, packageId, vulnerabilityId } = finding
  const bytes = sql`uuid_send(${firmwareVersionId}) || uuid_send(${packageId})
    || convert_to(${vulnerabilityId}, 'UTF8')`
  // PostgreSQL writes base64 in lines, and has no other alphabet before version 19.
  return sql`translate(encode(${bytes}, 'base64'), E'+/=\n', '-_')`
}

/** The three columns of a finding, of an id that is one. */
export function decodedFindingId(id: RawBuilder<unknown>): RawBuilder<unknown> {
  const padding = sql`repeat('=', (4 - length(${id}) % 4) % 4)`
  const bytes = sql`decode(translate(${id}, '-_', '+/') || ${padding}, 'base64')`
  return sql`encode(substring(${bytes} from 1 for 16), 'hex')::uuid as firmware_version_id,
    encode(substring(${bytes} from 17 for 16), 'hex')::uuid as package_id,
    convert_from(substring(${bytes} from 33), 'UTF8') collate "C" as vulnerability_id`
}
