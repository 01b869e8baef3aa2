import { sql } from 'kysely'
import type { MemberState } from '../../formats/law/member-states.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'

export const LINE_ROLES = ['Manufacturer', 'Steward'] as const
export const PRODUCT_CLASSES = ['Default', 'ImportantI', 'ImportantII', 'Critical'] as const

export interface LineFields {
  name: string
  manufacturer: string
  role: (typeof LINE_ROLES)[number]
  productClass: (typeof PRODUCT_CLASSES)[number]
  category: string | null
  memberStates: MemberState[]
  coordinatorState: MemberState | null
  timeZone: string
  firstPlacedOn: string | null
  supportEndsIn: string | null
  expectedUseYears: number | null
  expectedUseReason: string | null
  contact: string | null
}

interface Named {
  id: string
  name: string
}

export interface ProductLineRow extends LineFields {
  id: string
  firmwares: Named[]
  createdAt: Date
  updatedAt: Date
}

/** All of the workspace by name, or those that are named. */
export async function listLines(
  db: Db,
  workspaceId: string,
  ids?: readonly string[],
): Promise<ProductLineRow[]> {
  const { rows } = await sql<ProductLineRow>`
    select line.id, line.name, line.manufacturer, line.role, line.product_class, line.category, line.member_states,
      line.coordinator_state, line.time_zone, line.first_placed_on::text as first_placed_on, line.support_ends_in,
      line.expected_use_years, line.expected_use_reason, line.contact, line.created_at, line.updated_at, coalesce((
        select json_agg(json_build_object('id', firmware.id, 'name', firmware.name) order by firmware.name, firmware.id)
        from product_line_firmwares as held
        join firmwares as firmware on firmware.workspace_id = held.workspace_id and firmware.id = held.firmware_id
        where held.workspace_id = ${workspaceId} and held.product_line_id = line.id), '[]') as firmwares
    from product_lines as line
    where line.workspace_id = ${workspaceId} and ${ids === undefined ? sql`true` : sql`line.id = any(${ids}::uuid[])`}
    order by lower(line.name), line.id`.execute(db)
  return rows
}

export async function listFirmwaresWithoutLine(db: Db, workspaceId: string): Promise<Named[]> {
  const { rows } = await sql<Named>`
    select firmware.id, firmware.name from firmwares as firmware
    where firmware.workspace_id = ${workspaceId} and not exists (
      select from product_line_firmwares as held
      where held.workspace_id = ${workspaceId} and held.firmware_id = firmware.id)
    order by firmware.name, firmware.id`.execute(db)
  return rows
}

/** Changes of the product lines of a workspace run one after another, so that a firmware is in one at most. */
export async function lockLines(tx: Tx, workspaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('product-lines:' || ${workspaceId}, 0))`.execute(
    tx,
  )
}

export async function countLines(db: Db, workspaceId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from product_lines where workspace_id = ${workspaceId}`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/** Those of the firmwares that are in another line, with the name of it, and those that there are. */
export async function findFirmwares(
  db: Db,
  { workspaceId, firmwareIds }: { workspaceId: string; firmwareIds: readonly string[] },
) {
  const { rows } = await sql<Named & { lineId: string | null; lineName: string | null }>`
    select firmware.id, firmware.name, line.id as line_id, line.name as line_name
    from firmwares as firmware
    left join product_line_firmwares as held on held.workspace_id = firmware.workspace_id and held.firmware_id = firmware.id
    left join product_lines as line on line.workspace_id = held.workspace_id and line.id = held.product_line_id
    where firmware.workspace_id = ${workspaceId} and firmware.id = any(${firmwareIds}::uuid[])`.execute(
    db,
  )
  return rows
}

interface WrittenLine extends LineFields {
  workspaceId: string
  id: string
  at: Date
}

export async function insertLine(
  tx: Tx,
  { workspaceId, id, at, ...fields }: WrittenLine,
): Promise<void> {
  await tx
    .insertInto('productLines')
    .values({ workspaceId, id, ...fields, createdAt: at, updatedAt: at })
    .execute()
}

export async function updateLine(
  tx: Tx,
  { workspaceId, id, at, ...fields }: WrittenLine,
): Promise<void> {
  await tx
    .updateTable('productLines')
    .set({ ...fields, updatedAt: at })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export async function replaceFirmwares(
  tx: Tx,
  { workspaceId, id, firmwareIds }: { workspaceId: string; id: string; firmwareIds: string[] },
): Promise<void> {
  await sql`
    delete from product_line_firmwares
    where workspace_id = ${workspaceId} and product_line_id = ${id} and firmware_id <> all(${firmwareIds}::uuid[])`.execute(
    tx,
  )
  await sql`
    insert into product_line_firmwares (workspace_id, firmware_id, product_line_id)
    select ${workspaceId}, firmware_id, ${id} from unnest(${firmwareIds}::uuid[]) as given (firmware_id)
    on conflict do nothing`.execute(tx)
}

export async function deleteLine(tx: Tx, workspaceId: string, id: string): Promise<void> {
  await tx
    .deleteFrom('productLines')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export async function isInCases(tx: Tx, workspaceId: string, id: string): Promise<boolean> {
  const { rows } = await sql`
    select from case_lines where workspace_id = ${workspaceId} and product_line_id = ${id} limit 1`.execute(
    tx,
  )
  return rows.length > 0
}
