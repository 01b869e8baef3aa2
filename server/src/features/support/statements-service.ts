import { decideState, formatDay } from '../../formats/support/states.ts'
import { listKeysOfPurl, listNamedKeys } from '../../formats/support/names.ts'
import { compareVersions, isVersion } from '../../formats/versions/compare.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { AppError, invalid, notFound } from '../../platform/errors.ts'
import type { Precondition } from '../../platform/http/editing.ts'
import { isUuid, newId } from '../../platform/ids.ts'
import { recordAudit } from '../audit/index.ts'
import { isChosen } from './chosen-packages.ts'
import * as store from './statements-store.ts'

const MOST_STATEMENTS = 500

interface StatementInput {
  workspaceId: string
  purl?: string | null
  name?: string | null
  versionFrom?: string | null
  versionBefore?: string | null
  endsOn: string | null
  link?: string | null
  note?: string | null
}

type Reading = Pick<AppContext, 'db' | 'now'>

export async function listStatements(ctx: Reading, workspaceId: string) {
  return (await store.listStatements(ctx.db, workspaceId)).map((row) => describe(ctx, row))
}

export async function getStatement(
  ctx: Reading,
  { workspaceId, statementId }: { workspaceId: string; statementId: string },
) {
  return describe(ctx, await findStatement(ctx.db, workspaceId, statementId))
}

async function findStatement(db: Db, workspaceId: string, id: string): Promise<store.StatementRow> {
  const [row] = isUuid(id) ? await store.listStatements(db, workspaceId, id) : []
  if (!row) throw notFound('support statement', id)
  return row
}

function describe({ now }: Pick<AppContext, 'now'>, { keys: _keys, ...row }: store.StatementRow) {
  const hasEnded = row.endsOn === null ? false : null
  return { ...row, state: decideState({ endsOn: row.endsOn, hasEnded }, formatDay(now())) }
}

export async function createStatement(ctx: AppContext, input: StatementInput & { actor: Actor }) {
  const { workspaceId, actor } = input
  const fields = readFields(input)
  const keys = readKeys(fields)
  return ctx.db.transaction().execute(async (tx) => {
    await store.lockStatements(tx, workspaceId)
    if ((await store.countStatements(tx, workspaceId)) >= MOST_STATEMENTS)
      throw new AppError(
        'conflict',
        'too-many-support-statements',
        `The workspace has ${MOST_STATEMENTS} dates of support of its own; more are not taken.`,
      )
    const id = newId()
    const createdByEmail = actor.email ?? null
    await store.insertStatement(tx, {
      workspaceId,
      id,
      ...fields,
      keys,
      at: ctx.now(),
      createdByEmail,
    })
    await choosePackages(tx, { workspaceId, id, keys, ...fields })
    const entry = { workspaceId, actor, resourceType: 'support-statement', resourceId: id }
    await recordAudit(ctx, tx, { ...entry, action: 'support-statement.create', after: fields })
    return describe(ctx, await findStatement(tx, workspaceId, id))
  })
}

interface OneStatement {
  workspaceId: string
  statementId: string
  actor: Actor
}

export async function updateStatement(
  ctx: AppContext,
  input: OneStatement & StatementInput & { precondition?: Precondition | undefined },
) {
  const { workspaceId, actor, statementId } = input
  const fields = readFields(input)
  const keys = readKeys(fields)
  return ctx.db.transaction().execute(async (tx) => {
    await store.lockStatements(tx, workspaceId)
    const before = await findStatement(tx, workspaceId, statementId)
    input.precondition?.(describe(ctx, before))
    const { id } = before
    await store.updateStatement(tx, { workspaceId, id, ...fields, keys, at: ctx.now() })
    await choosePackages(tx, { workspaceId, id, keys, ...fields })
    const entry = { workspaceId, actor, resourceType: 'support-statement', resourceId: id }
    await recordAudit(ctx, tx, {
      ...entry,
      action: 'support-statement.update',
      before: pickFields(before),
      after: fields,
    })
    return describe(ctx, await findStatement(tx, workspaceId, id))
  })
}

export async function deleteStatement(ctx: AppContext, input: OneStatement): Promise<void> {
  const { workspaceId, actor } = input
  await ctx.db.transaction().execute(async (tx) => {
    await store.lockStatements(tx, workspaceId)
    const before = await findStatement(tx, workspaceId, input.statementId)
    await store.deleteStatement(tx, workspaceId, before.id)
    const entry = { workspaceId, actor, resourceType: 'support-statement', resourceId: before.id }
    await recordAudit(ctx, tx, {
      ...entry,
      action: 'support-statement.delete',
      before: pickFields(before),
    })
  })
}

/** In the transaction that gives a version its packages. */
export async function chooseStatedPackages(
  tx: Tx,
  version: { workspaceId: string; firmwareVersionId: string },
): Promise<void> {
  const { workspaceId } = version
  await store.lockStatements(tx, workspaceId)
  const statements = await store.listStatements(tx, workspaceId)
  if (statements.length === 0) return
  const keys = [...new Set(statements.flatMap((one) => one.keys))]
  const packages = await store.listPackagesOfVersion(tx, { ...version, keys })
  for (const statement of statements) {
    const chosen = packages.filter(({ identity }) => isChosen(statement, identity))
    const packageIds = chosen.map(({ id }) => id)
    await store.addChosen(tx, { workspaceId, statementId: statement.id, packageIds })
  }
}

async function choosePackages(
  tx: Tx,
  statement: { workspaceId: string; id: string; keys: readonly string[] } & Pick<
    store.StatementFields,
    'versionFrom' | 'versionBefore'
  >,
): Promise<void> {
  const packages = await store.listPackagesOfKeys(tx, statement)
  const chosen = packages.filter(({ identity }) => isChosen(statement, identity))
  const packageIds = chosen.map(({ id }) => id)
  const { workspaceId, id: statementId } = statement
  await store.replaceChosen(tx, { workspaceId, statementId, packageIds })
}

function pickFields(row: store.StatementFields): store.StatementFields {
  const { purl, name, versionFrom, versionBefore, endsOn, link, note } = row
  return { purl, name, versionFrom, versionBefore, endsOn, link, note }
}

function readFields(input: StatementInput): store.StatementFields {
  const { purl = null, versionFrom = null, versionBefore = null, endsOn } = input
  const { link = null, note = null } = input
  const name = input.name?.trim() ?? null
  if ((purl === null) === (name === null))
    throw invalid('State either a purl or a name.', purl === null ? '/name' : '/purl')
  refuseUncomparable({ versionFrom, versionBefore })
  return { purl, name, versionFrom, versionBefore, endsOn, link, note }
}

function refuseUncomparable(range: Pick<store.StatementFields, 'versionFrom' | 'versionBefore'>) {
  const { versionFrom, versionBefore } = range
  for (const [member, version] of Object.entries(range))
    if (version !== null && !isVersion('generic', version))
      throw invalid(`${JSON.stringify(version)} cannot be compared with versions.`, `/${member}`)
  if (versionFrom === null || versionBefore === null) return
  if ((compareVersions('generic', versionFrom, versionBefore) ?? 0) >= 0)
    throw invalid(
      'The range holds no version: it ends where it begins, or before.',
      '/versionBefore',
    )
}

function readKeys({ purl, name }: store.StatementFields): string[] {
  if (name !== null) return listNamedKeys(name)
  const keys = listKeysOfPurl(purl ?? '')
  if (keys.length === 0) throw invalid(`${JSON.stringify(purl)} is not a valid purl.`, '/purl')
  return keys
}
