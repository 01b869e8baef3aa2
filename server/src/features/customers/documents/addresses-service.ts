/** Standing addresses: documents about a firmware that are always current, for everybody or by a link. */
import { readName } from '../../../formats/one-line-name.ts'
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { invalid, notFound } from '../../../platform/errors.ts'
import { isUuid, newId } from '../../../platform/ids.ts'
import { recordAudit } from '../../audit/index.ts'
import { createToken, hashToken, readEnd, refuseTooMany } from '../links/service.ts'
import * as store from '../links/store.ts'
import { findTarget } from './store.ts'

const MOST_ADDRESSES = 1_000

interface CreateAddress {
  workspaceId: string
  name: string
  firmwareId: string
  lineId?: string | null
  firmwareVersionId?: string | null
  documents: store.DocumentKind[]
  isPublic?: boolean
  endsAt?: string | null
  actor: Actor
}

export async function listAddresses(
  { config }: Pick<AppContext, 'config'>,
  db: Db,
  { workspaceId }: { workspaceId: string },
) {
  const rows = await store.listStandingAddresses(db, workspaceId)
  return { standingAddresses: rows.map((row) => withUrl(config.publicUrl, workspaceId, row)) }
}

const withUrl = (publicUrl: string, workspaceId: string, row: store.StandingAddressRow) => ({
  ...row,
  url: `${publicUrl}/standing/${workspaceId}/${row.id}`,
})

/** The token is in this answer only. */
export async function createAddress(ctx: AppContext, input: CreateAddress) {
  const { workspaceId, actor, isPublic = false, lineId = null, firmwareVersionId = null } = input
  const name = readName(input.name)
  const documents = store.DOCUMENT_KINDS.filter((kind) => input.documents.includes(kind))
  if (lineId !== null && firmwareVersionId !== null)
    throw invalid(
      'An address is about a line or about a version: leave one of them out.',
      '/firmwareVersionId',
    )
  const endsAt =
    isPublic && (input.endsAt ?? null) === null ? null : readEnd(ctx, input.endsAt ?? undefined)
  const token = isPublic ? null : createToken()
  return ctx.db.transaction().execute(async (tx) => {
    await refuseTooMany(ctx, tx, { workspaceId, customerId: null, most: MOST_ADDRESSES })
    const of = { firmwareId: input.firmwareId, lineId, firmwareVersionId }
    const target = await findTarget(tx, workspaceId, of)
    if (!target) throw invalid(`No firmware has the id ${input.firmwareId}.`, '/firmwareId')
    if (lineId !== null && !target.hasLine)
      throw invalid(`The firmware has no line with the id ${lineId}.`, '/lineId')
    if (firmwareVersionId !== null && !target.hasVersion)
      throw invalid(
        `The firmware has no version with the id ${firmwareVersionId}.`,
        '/firmwareVersionId',
      )
    const id = newId()
    await store.insertLink(tx, {
      workspaceId,
      id,
      name,
      tokenHash: token === null ? null : hashToken(token),
      customerId: null,
      ...of,
      documents,
      createdAt: ctx.now(),
      createdByEmail: actor.email ?? null,
      endsAt,
    })
    await recordAudit(ctx, tx, {
      workspaceId,
      actor,
      action: 'standing-address.create',
      resourceType: 'standing-address',
      resourceId: id,
      after: { name, ...of, documents, isPublic, endsAt },
    })
    const [row] = await store.listStandingAddresses(tx, workspaceId, id)
    if (!row) throw new Error('an address that was just made is there')
    const shown = withUrl(ctx.config.publicUrl, workspaceId, row)
    return { ...shown, token, url: token === null ? shown.url : `${shown.url}?token=${token}` }
  })
}

/** Revoking it again changes nothing. */
export async function revokeAddress(
  ctx: AppContext,
  {
    workspaceId,
    standingAddressId,
    actor,
  }: { workspaceId: string; standingAddressId: string; actor: Actor },
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const [row] = isUuid(standingAddressId)
      ? await store.listStandingAddresses(tx, workspaceId, standingAddressId)
      : []
    if (!row) throw notFound('standing address', standingAddressId)
    const of = { workspaceId, id: row.id, customerId: null, at: ctx.now() }
    if (!(await store.revokeLink(tx, of))) return
    await recordAudit(ctx, tx, {
      workspaceId,
      actor,
      action: 'standing-address.revoke',
      resourceType: 'standing-address',
      resourceId: row.id,
      before: { name: row.name },
    })
  })
}
