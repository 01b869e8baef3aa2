/** Looks up resources by what a person types: an id, a name, a slug. */
import type { Db } from '../../../platform/db/connect.ts'
import { isUuid } from '../../../platform/ids.ts'

/** A resource, and the texts that name it, the most exact first. */
export interface NamedRow {
  id: string
  names: readonly string[]
}

type Find = (db: Db, workspaceId: string, texts: readonly string[]) => Promise<NamedRow[]>

/** Kysely makes an `in` of a list, which must not be empty. */
const idsAmong = (texts: readonly string[]) => [NOTHING, ...texts.filter(isUuid)]
const NOTHING = '00000000-0000-0000-0000-000000000000'

export const findCohorts: Find = async (db, workspaceId, texts) => {
  const rows = await db
    .selectFrom('deploymentCohorts')
    .select(['id', 'name'])
    .where('workspaceId', '=', workspaceId)
    .where((of) => of.or([of('id', 'in', idsAmong(texts)), of('name', 'in', texts)]))
    .execute()
  return rows.map(({ id, name }) => ({ id, names: [name] }))
}

export const findFirmwares: Find = async (db, workspaceId, texts) => {
  const rows = await db
    .selectFrom('firmwares')
    .select(['id', 'slug', 'name'])
    .where('workspaceId', '=', workspaceId)
    .where((of) =>
      of.or([of('id', 'in', idsAmong(texts)), of('slug', 'in', texts), of('name', 'in', texts)]),
    )
    .execute()
  return rows.map(({ id, slug, name }) => ({ id, names: [slug, name] }))
}

/** By `slug@name`. A slug has no @. */
export const findVersions: Find = async (db, workspaceId, texts) => {
  const slugs = texts.map((text) => text.split('@')[0] ?? '')
  const names = texts.map((text) => text.slice(text.indexOf('@') + 1))
  const rows = await db
    .selectFrom('firmwareVersions as version')
    .innerJoin('firmwares as firmware', (join) =>
      join
        .onRef('firmware.id', '=', 'version.firmwareId')
        .onRef('firmware.workspaceId', '=', 'version.workspaceId'),
    )
    .select(['version.id', 'version.name', 'firmware.slug'])
    .where('version.workspaceId', '=', workspaceId)
    .where((of) =>
      of.or([
        of('version.id', 'in', idsAmong(texts)),
        of.and([of('firmware.slug', 'in', slugs), of('version.name', 'in', names)]),
      ]),
    )
    .execute()
  return rows.map(({ id, slug, name }) => ({ id, names: [`${slug}@${name}`] }))
}

/** The same. */
export const findLines: Find = async (db, workspaceId, texts) => {
  const slugs = texts.map((text) => text.split('@')[0] ?? '')
  const names = texts.map((text) => text.slice(text.indexOf('@') + 1))
  const rows = await db
    .selectFrom('firmwareLines as line')
    .innerJoin('firmwares as firmware', (join) =>
      join
        .onRef('firmware.id', '=', 'line.firmwareId')
        .onRef('firmware.workspaceId', '=', 'line.workspaceId'),
    )
    .select(['line.id', 'line.name', 'firmware.slug'])
    .where('line.workspaceId', '=', workspaceId)
    .where((of) =>
      of.or([
        of('line.id', 'in', idsAmong(texts)),
        of.and([of('firmware.slug', 'in', slugs), of('line.name', 'in', names)]),
      ]),
    )
    .execute()
  return rows.map(({ id, slug, name }) => ({ id, names: [`${slug}@${name}`] }))
}

export const findRules: Find = async (db, workspaceId, texts) => {
  const rows = await db
    .selectFrom('alertRules')
    .select(['id', 'name'])
    .where('workspaceId', '=', workspaceId)
    .where((of) => of.or([of('id', 'in', idsAmong(texts)), of('name', 'in', texts)]))
    .execute()
  return rows.map(({ id, name }) => ({ id, names: [name] }))
}

/** The id of a device is its name. */
export const findDevices: Find = async (db, workspaceId, texts) => {
  const rows = await db
    .selectFrom('devices')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where('id', 'in', texts)
    .execute()
  return rows.map(({ id }) => ({ id, names: [id] }))
}
