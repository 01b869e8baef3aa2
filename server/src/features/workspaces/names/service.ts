/** Filters name cohorts, firmwares, versions, rules and devices by their ids or names. Unknown ones are an error. */
import type { AppContext } from '../../../platform/context.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { AppError, type FieldError } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/app.ts'
import * as store from './store.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Where the body names other resources: ids and names of them become ids. */
    namesIn?: 'filter' | 'body'
  }
}

interface Kind {
  what: string
  by: string
  find: typeof store.findCohorts
}

const COHORT: Kind = { what: 'deployment cohort', by: 'id or name', find: store.findCohorts }
const FIRMWARE: Kind = { what: 'firmware', by: 'id, slug or name', find: store.findFirmwares }
const VERSION: Kind = {
  what: 'firmware version',
  by: 'id or slug@name',
  find: store.findVersions,
}
const LINE: Kind = { what: 'release line', by: 'id or slug@name', find: store.findLines }
const RULE: Kind = { what: 'alert rule', by: 'id or name', find: store.findRules }
const DEVICE: Kind = { what: 'device', by: 'id', find: store.findDevices }

const KINDS: Readonly<Record<string, Kind>> = {
  cohortIds: COHORT,
  deploymentCohortId: COHORT,
  firmwareIds: FIRMWARE,
  firmwareVersionIds: VERSION,
  lineIds: LINE,
  alertRuleIds: RULE,
  deviceIds: DEVICE,
}

type Members = Record<string, unknown>

/** The body is checked by its schema before. */
export function installNames(workspace: App, ctx: AppContext): void {
  workspace.addHook('preHandler', async ({ routeOptions, params, body }) => {
    const { namesIn } = routeOptions.config
    const { workspaceId } = params as { workspaceId: string }
    const { filter } = (body ?? {}) as { filter?: Members }
    const place = namesIn === 'body' ? (body as Members) : namesIn === 'filter' && filter
    if (!place) return
    const prefix = namesIn === 'filter' ? '/filter' : ''
    for (const [member, kind] of Object.entries(KINDS))
      if (place[member] !== undefined)
        place[member] = await resolved(ctx.db, workspaceId, {
          kind,
          stated: place[member] as string | string[],
          pointer: `${prefix}/${member}`,
        })
  })
}

interface StatedName {
  kind: Kind
  stated: string | string[]
  pointer: string
}

const MOST_NAMED = 20

async function resolved(db: Db, workspaceId: string, { kind, stated, pointer }: StatedName) {
  const texts = [stated].flat()
  if (texts.length === 0) return stated
  const rows = await kind.find(db, workspaceId, texts)
  const read = texts.map((text) => findId(rows, text, kind))
  const errors = read.flatMap((one, at): FieldError[] =>
    'detail' in one
      ? [{ pointer: Array.isArray(stated) ? `${pointer}/${at}` : pointer, detail: one.detail }]
      : [],
  )
  const [first] = errors
  if (first)
    throw new AppError('invalid', 'invalid-request', first.detail, errors.slice(0, MOST_NAMED))
  const ids = read.flatMap((one) => ('id' in one ? one.id : []))
  return Array.isArray(stated) ? [...new Set(ids)] : ids[0]
}

/** An id before a slug before a name. */
function findId(
  rows: readonly store.NamedRow[],
  text: string,
  { what, by }: Kind,
): { id: string } | { detail: string } {
  const byId = rows.find(({ id }) => id === text || id === text.toLowerCase())
  if (byId) return byId
  for (const place of [0, 1]) {
    const [found, second] = rows.filter(({ names }) => names[place] === text)
    if (second)
      return {
        detail: `Several have the name ${JSON.stringify(text)}: state the id of the ${what}.`,
      }
    if (found) return found
  }
  return { detail: `No ${what} has the ${by} ${JSON.stringify(text)}.` }
}
