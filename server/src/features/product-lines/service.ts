import { isTimeZoneName } from '../../formats/law/calendar.ts'
import { readName } from '../../formats/one-line-name.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { refuseReferenced, refuseTaken } from '../../platform/db/failures.ts'
import { AppError, invalid, notFound } from '../../platform/errors.ts'
import type { Precondition } from '../../platform/http/editing.ts'
import { isUuid, newId } from '../../platform/ids.ts'
import { type AuditAction, recordAudit } from '../audit/index.ts'
import { keepRetention, releaseRetention } from './retention-store.ts'
import * as store from './store.ts'

const MOST_LINES = 1_000

export type ProductLineInput = Partial<store.LineFields> & {
  workspaceId: string
  name: string
  manufacturer: string
  firmwareIds?: string[]
}

interface OneLine {
  workspaceId: string
  productLineId: string
}

export async function listProductLines(db: Db, { workspaceId }: { workspaceId: string }) {
  const rows = await store.listLines(db, workspaceId)
  return {
    productLines: rows.map(describe),
    firmwaresWithoutLine: await store.listFirmwaresWithoutLine(db, workspaceId),
  }
}

export async function getProductLine(db: Db, { workspaceId, productLineId }: OneLine) {
  const [row] = isUuid(productLineId) ? await store.listLines(db, workspaceId, [productLineId]) : []
  if (!row) throw notFound('product line', productLineId)
  return describe(row)
}

const describe = (row: store.ProductLineRow) => ({
  ...row,
  firmwareIds: row.firmwares.map(({ id }) => id),
})

export async function createProductLine(
  ctx: AppContext,
  input: ProductLineInput & { actor: Actor },
) {
  const { workspaceId, actor } = input
  const { firmwareIds, ...fields } = readFields(input)
  return refuseTaken(nameTaken(fields.name), () =>
    ctx.db.transaction().execute(async (tx) => {
      await store.lockLines(tx, workspaceId)
      if ((await store.countLines(tx, workspaceId)) >= MOST_LINES)
        throw new AppError(
          'conflict',
          'too-many-product-lines',
          `The workspace has ${MOST_LINES} product lines; more are not taken.`,
        )
      const id = newId()
      await requireFreeFirmwares(tx, { workspaceId, id, firmwareIds })
      await store.insertLine(tx, { workspaceId, id, ...fields, at: ctx.now() })
      await store.replaceFirmwares(tx, { workspaceId, id, firmwareIds })
      const after = { ...fields, firmwareIds }
      await audit(ctx, tx, { workspaceId, actor, id, action: 'product-line.create', after })
      return getProductLine(tx, { workspaceId, productLineId: id })
    }),
  )
}

export async function updateProductLine(
  ctx: AppContext,
  input: OneLine & ProductLineInput & { actor: Actor; precondition?: Precondition | undefined },
) {
  const { workspaceId, actor, productLineId } = input
  const { firmwareIds, ...fields } = readFields(input)
  return refuseTaken(nameTaken(fields.name), () =>
    ctx.db.transaction().execute(async (tx) => {
      await store.lockLines(tx, workspaceId)
      const before = await getProductLine(tx, { workspaceId, productLineId })
      input.precondition?.(before)
      const { id } = before
      await requireFreeFirmwares(tx, { workspaceId, id, firmwareIds })
      const isOther = fields.manufacturer.toLowerCase() !== before.manufacturer.toLowerCase()
      if (isOther && (await store.isInCases(tx, workspaceId, id))) throw hasCases(before.name)()
      await store.updateLine(tx, { workspaceId, id, ...fields, at: ctx.now() })
      await replaceFirmwares(ctx, tx, { workspaceId, id, firmwareIds, before: before.firmwareIds })
      const { firmwares: _names, ...was } = before
      const change = { before: was, after: { ...fields, firmwareIds } }
      await audit(ctx, tx, { workspaceId, actor, id, action: 'product-line.update', ...change })
      return getProductLine(tx, { workspaceId, productLineId: id })
    }),
  )
}

export async function deleteProductLine(
  ctx: AppContext,
  { workspaceId, actor, productLineId }: OneLine & { actor: Actor },
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    await store.lockLines(tx, workspaceId)
    const { firmwares: _names, ...before } = await getProductLine(tx, {
      workspaceId,
      productLineId,
    })
    const line = { workspaceId, productLineId, firmwareIds: before.firmwareIds }
    await keepRetention(tx, { ...line, now: ctx.now() })
    await refuseReferenced(hasCases(before.name), () =>
      store.deleteLine(tx, workspaceId, before.id),
    )
    const entry = { workspaceId, actor, id: before.id, before }
    await audit(ctx, tx, { ...entry, action: 'product-line.delete' })
  })
}

interface ReplacedFirmwares {
  workspaceId: string
  id: string
  firmwareIds: string[]
  before: readonly string[]
}

/** What was rolled out while its firmware was in the line stays kept. */
async function replaceFirmwares(
  { now }: Pick<AppContext, 'now'>,
  tx: Tx,
  { before, ...replaced }: ReplacedFirmwares,
): Promise<void> {
  const { workspaceId, id: productLineId, firmwareIds } = replaced
  const leaving = before.filter((one) => !firmwareIds.includes(one))
  await keepRetention(tx, { workspaceId, productLineId, firmwareIds: leaving, now: now() })
  await store.replaceFirmwares(tx, replaced)
  await releaseRetention(tx, { workspaceId, productLineId, firmwareIds })
}

interface Audited {
  workspaceId: string
  actor: Actor
  id: string
  action: AuditAction
  before?: object
  after?: object
}

function audit(ctx: AppContext, tx: Tx, { id: resourceId, ...entry }: Audited): Promise<void> {
  return recordAudit(ctx, tx, { ...entry, resourceType: 'product-line', resourceId })
}

/** Says nothing that nobody has said. */
const UNSAID = {
  role: 'Manufacturer',
  productClass: 'Default',
  category: null,
  coordinatorState: null,
  timeZone: 'UTC',
  firstPlacedOn: null,
  supportEndsIn: null,
  expectedUseYears: null,
  expectedUseReason: null,
  contact: null,
} as const

type Fields = store.LineFields & { firmwareIds: string[] }

function readFields({ memberStates = [], firmwareIds = [], ...input }: ProductLineInput): Fields {
  const fields = pickFields({ ...UNSAID, ...input })
  const { timeZone, firstPlacedOn } = fields
  if (!isTimeZoneName(timeZone))
    throw invalid(`${JSON.stringify(timeZone)} is not a time zone.`, '/timeZone')
  if (firstPlacedOn !== null && !isDay(firstPlacedOn))
    throw invalid(`${firstPlacedOn} is not a day.`, '/firstPlacedOn')
  return {
    ...fields,
    name: readName(input.name),
    manufacturer: readName(input.manufacturer, '/manufacturer'),
    memberStates: memberStates.toSorted(),
    firmwareIds,
  }
}

/** Without the id and whatever else comes with a request. */
const pickFields = (given: Omit<store.LineFields, 'memberStates'>) => ({
  role: given.role,
  productClass: given.productClass,
  category: given.category,
  coordinatorState: given.coordinatorState,
  timeZone: given.timeZone,
  firstPlacedOn: given.firstPlacedOn,
  supportEndsIn: given.supportEndsIn,
  expectedUseYears: given.expectedUseYears,
  expectedUseReason: given.expectedUseReason,
  contact: given.contact,
})

/** The format `date` of a schema takes 30 February. */
const isDay = (text: string) =>
  !Number.isNaN(Date.parse(text)) && new Date(text).toISOString().startsWith(text)

async function requireFreeFirmwares(
  tx: Tx,
  { workspaceId, id, firmwareIds }: { workspaceId: string; id: string; firmwareIds: string[] },
): Promise<void> {
  const found = await store.findFirmwares(tx, { workspaceId, firmwareIds })
  const known = new Map(found.map((one) => [one.id, one]))
  for (const [index, firmwareId] of firmwareIds.entries()) {
    const firmware = known.get(firmwareId)
    if (!firmware) throw invalid(`No firmware has the id ${firmwareId}.`, `/firmwareIds/${index}`)
    if (firmware.lineId !== null && firmware.lineId !== id)
      throw new AppError(
        'conflict',
        'firmware-in-other-line',
        `The firmware ${firmware.name} is in the product line ${firmware.lineName ?? ''}; a firmware is in one line at most.`,
      )
  }
}

const hasCases = (name: string) => () =>
  new AppError('conflict', 'product-line-has-cases', `The product line ${name} is in cases.`)

const nameTaken = (name: string) => () =>
  new AppError(
    'conflict',
    'product-line-name-taken',
    `A product line named ${JSON.stringify(name)} exists already.`,
  )
