/** The ends of support that are stated for firmware versions: of product line, release line and firmware. */
import { sql } from 'kysely'
import { addDays } from '../../../formats/instants.ts'
import {
  decidePeriod,
  notePeriod,
  SOON_DAYS,
  type StatedEnds,
} from '../../../formats/support/periods.ts'
import { formatDay } from '../../../formats/support/states.ts'
import type { Db } from '../../../platform/db/connect.ts'

interface Versions {
  workspaceId: string
  /** undefined: all of the workspace. */
  firmwareVersionIds?: readonly string[] | undefined
  /** Only those for which an end until this day is stated. */
  until?: string
}

/** By version. */
export async function listStatedEnds(
  db: Db,
  { workspaceId, firmwareVersionIds, until }: Versions,
): Promise<Map<string, StatedEnds>> {
  const isAsked =
    firmwareVersionIds === undefined
      ? sql`true`
      : sql`version.id = any(${[...firmwareVersionIds]}::uuid[])`
  const { rows } = await sql<StatedEnds & { id: string }>`
    select version.id, product.name as product_line, declared.ends_on::text as product_line_ends_on, line.name as release_line,
      line.support_ends_on::text as release_line_ends_on, firmware.name as firmware, firmware.support_ends_on::text as firmware_ends_on
    from firmware_versions as version
    join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    left join firmware_lines as line on line.workspace_id = ${workspaceId} and line.id = version.line_id
    left join product_line_firmwares as part on part.workspace_id = ${workspaceId} and part.firmware_id = version.firmware_id
    left join product_lines as product on product.workspace_id = ${workspaceId} and product.id = part.product_line_id
    cross join lateral (select (to_date(product.support_ends_in, 'YYYY-MM') + interval '1 month')::date as ends_on) as declared
    where version.workspace_id = ${workspaceId} and ${isAsked}
      and ${until === undefined ? sql`true` : sql`least(declared.ends_on, line.support_ends_on, firmware.support_ends_on) <= ${until}::date`}`.execute(
    db,
  )
  return new Map(rows.map(({ id, ...ends }) => [id, ends]))
}

/** What marks say of support: by version, of those alone whose support is over or ends soon. */
export async function listSupportNotes(
  db: Db,
  { now, ...versions }: Omit<Versions, 'until'> & { now: Date },
): Promise<Map<string, string>> {
  const day = formatDay(now)
  const found = await listStatedEnds(db, { ...versions, until: formatDay(addDays(now, SOON_DAYS)) })
  return new Map(
    [...found].flatMap(([id, ends]) => {
      const note = notePeriod(ends, day)
      return note === undefined ? [] : [[id, note] as const]
    }),
  )
}

/** The versions for which an end that is stated has come, with the names of what is out of support. */
export async function listPastSupport(
  db: Db,
  { workspaceId, now }: { workspaceId: string; now: Date },
): Promise<{ firmwareVersionId: string; names: string[] }[]> {
  const day = formatDay(now)
  const found = await listStatedEnds(db, { workspaceId, until: day })
  return [...found].flatMap(([firmwareVersionId, ends]) => {
    const { statements } = decidePeriod(ends, day)
    const names = statements.flatMap(({ statedFor, name, state }) =>
      state !== 'Ended' ? [] : statedFor === 'ReleaseLine' ? `${ends.firmware} ${name}` : name,
    )
    return names.length === 0 ? [] : [{ firmwareVersionId, names }]
  })
}
