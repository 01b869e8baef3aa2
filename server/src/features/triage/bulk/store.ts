/** Reads the states of findings for bulk decisions. */
import { sql } from 'kysely'
import type { Assessment, PreviousDecision } from '../../../formats/assessments.ts'
import type { Acceptance } from '../../../formats/acceptances.ts'
import type { FindingKey } from '../../../formats/finding-id.ts'
import type { Db } from '../../../platform/db/connect.ts'

/** The fields that a bulk decision sets. */
export interface BulkChange {
  assessment?: Assessment
  justification?: string | null
  detail?: string | null
  responses?: readonly string[]
  ignored?: boolean
  acceptance?: Acceptance | null
  assessedLineId?: string | null
  ignoredLineId?: string | null
}

export interface RepeatableFinding extends FindingKey {
  assessment: Assessment
  previousDecision: PreviousDecision | null
}

/** The findings in the order of the keys, with what was decided before. */
export async function listPreviousDecisions(
  db: Db,
  workspaceId: string,
  keys: readonly FindingKey[],
): Promise<RepeatableFinding[]> {
  const { rows } = await sql<RepeatableFinding>`
    select named.firmware_version_id, named.package_id, named.vulnerability_id,
      coalesce(decision.assessment, 'NotAssessed') as assessment,
      decision.previous_decision
    from ${namedKeys(keys)}
    left join finding_decisions as decision on decision.workspace_id = ${workspaceId}
      and decision.firmware_version_id = named.firmware_version_id and decision.package_id = named.package_id
      and decision.vulnerability_id = named.vulnerability_id
    order by place`.execute(db)
  return rows
}

const namedKeys = (keys: readonly FindingKey[]) =>
  sql`unnest(${keys.map((_, index) => index)}::int[], ${keys.map((key) => key.firmwareVersionId)}::uuid[],
      ${keys.map((key) => key.packageId)}::uuid[], ${keys.map((key) => key.vulnerabilityId)}::text[])
      as named (place, firmware_version_id, package_id, vulnerability_id)`

export interface FindingState {
  assessment: Assessment
  isChanged: boolean
}

/** The state of each finding in the order of the keys, and whether the decision would change it. */
export async function listStates(
  db: Db,
  workspaceId: string,
  { keys, change }: { keys: readonly FindingKey[]; change: BulkChange },
): Promise<FindingState[]> {
  const { justification = null, detail = null, responses = [] } = change
  const isChanged =
    change.assessment === undefined
      ? sql`coalesce(decision.ignored, false) <> ${change.ignored ?? false}
          or ${change.acceptance ? sql`true` : sql`false`}
          or (${change.ignored === true} and decision.ignored_line_id is distinct from ${change.ignoredLineId ?? null}::uuid)`
      : sql`decision.recheck_reason is not null or (coalesce(decision.assessment, 'NotAssessed'),
          decision.justification, decision.detail, coalesce(decision.responses, '{}'), decision.assessed_line_id)
        is distinct from (${change.assessment}, ${justification}, ${detail}, ${responses}::text[],
          ${change.assessedLineId ?? null}::uuid)`
  const { rows } = await sql<FindingState>`
    select coalesce(decision.assessment, 'NotAssessed') as assessment, ${isChanged} as is_changed
    from ${namedKeys(keys)}
    left join finding_decisions as decision on decision.workspace_id = ${workspaceId}
      and decision.firmware_version_id = named.firmware_version_id and decision.package_id = named.package_id
      and decision.vulnerability_id = named.vulnerability_id
    order by place`.execute(db)
  return rows
}
