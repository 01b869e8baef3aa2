import { sql } from 'kysely'
import type { SbomGrade } from '../../formats/sbom-profiles/grade.ts'
import type { SbomFormat } from '../../formats/sboms/model.ts'
import type { Db } from '../../platform/db/connect.ts'

export interface GradedSbom {
  id: string
  fileName: string
  format: SbomFormat | null
  specVersion: string | null
  /** null: it was not read since grades are kept. */
  grades: SbomGrade[] | null
}

/** An SBOM that counts, or one that another replaced. */
export async function findGrades(
  db: Db,
  workspaceId: string,
  sbomId: string,
): Promise<GradedSbom | undefined> {
  const { rows } = await sql<GradedSbom>`
    select id, file_name, format, spec_version, grades from sboms
    where workspace_id = ${workspaceId} and id = ${sbomId}
    union all
    select id, file_name, format, spec_version, grades from replaced_sboms
    where workspace_id = ${workspaceId} and id = ${sbomId}`.execute(db)
  return rows[0]
}
