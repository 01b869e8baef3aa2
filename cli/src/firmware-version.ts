/** Finds firmware versions by id, slug and name. */
import type { Command } from 'commander'
import { ApiProblem, type FirmwareVersionListItem } from '../../api-client/src/index.ts'
import { usageError } from './failure.ts'
import { readLine } from './lines.ts'
import { isAlike, UUID } from './named.ts'
import type { Session } from './session.ts'

export interface VersionName {
  firmware: string
  version: string
}

/** What names a version in place of `slug@name`. */
export type VersionOptions = Partial<VersionName>

/** The version is the next argument of the command, or named by two options. */
export function withVersion(command: Command): Command {
  return withVersionOptions(
    command.argument('[version]', 'slug@name of the firmware version, or its id'),
  )
}

export function withVersionOptions(command: Command): Command {
  return command
    .option('--firmware <slug>', 'slug of the firmware, in place of slug@name')
    .option('--version <name>', 'name of the firmware version, in place of slug@name')
}

const EXAMPLE = 'Or name the version as slug@name, such as gateway@2.4.1.'

/** The name of a version, which may not exist yet; undefined: none is named. */
function readVersionName(
  text: string | undefined,
  { firmware, version }: VersionOptions,
): VersionName | undefined {
  if (text !== undefined && version !== undefined)
    throw usageError(`Name one version: ${JSON.stringify(text)}, or that of --version.`)
  if (text !== undefined) return readStatedName(text, firmware)
  if (firmware === undefined && version === undefined) return undefined
  if (firmware === undefined || version === undefined)
    throw usageError(`--firmware and --version belong together. ${EXAMPLE}`)
  return { firmware, version }
}

/** undefined: none is named. */
export async function findNamedVersionId(
  session: Session,
  text: string | undefined,
  options: VersionOptions,
): Promise<string | undefined> {
  if (isId(text, options)) return text
  const name = readVersionName(text, options)
  return name && getFirmwareVersionId(session, name)
}

function isId(text: string | undefined, { version }: VersionOptions): text is string {
  return text !== undefined && version === undefined && UUID.test(text)
}

export async function findVersionId(
  session: Session,
  text: string | undefined,
  options: VersionOptions,
): Promise<string> {
  const id = await findNamedVersionId(session, text, options)
  if (id === undefined) throw noVersion()
  return id
}

const noVersion = () => usageError('Name the firmware version as slug@name, such as gateway@2.4.1.')

const HINT = 'shows what there is, sbom upload --create makes it.'

async function getFirmwareVersionId(session: Session, name: VersionName): Promise<string> {
  const firmware = await findFirmware(session, name.firmware)
  if (!firmware)
    throw usageError(
      `No firmware has the slug ${JSON.stringify(name.firmware)}; plimsoll firmware list ${HINT}`,
    )
  const version = await findVersion(session, firmware.id, name.version)
  if (!version)
    throw usageError(
      `${name.firmware} has no version named ${JSON.stringify(name.version)}; plimsoll firmware versions ${name.firmware} ${HINT}`,
    )
  return version.id
}

/** Reads an id, `slug@name`, or a name alone where the firmware is known. A slug has no @; the name of a version may. */
export async function findStatedVersionId(
  session: Session,
  text: string,
  knownFirmware?: string,
): Promise<string> {
  if (UUID.test(text)) return text
  return getFirmwareVersionId(session, readStatedName(text, knownFirmware))
}

const readStatedName = (text: string, knownFirmware: string | undefined): VersionName =>
  knownFirmware !== undefined && !text.includes('@')
    ? { firmware: knownFirmware, version: text }
    : splitVersion(text)

const STATED = /^([^@]+)@(.+)$/

/** That of `slug@name`. */
export function findSlug(text = ''): string | undefined {
  return STATED.exec(text)?.[1]
}

/** Reads `slug@name`. */
export function splitVersion(text: string): VersionName {
  const [, firmware, version] = STATED.exec(text) ?? []
  if (firmware === undefined || version === undefined)
    throw usageError(
      `${JSON.stringify(text)} is not a version: give its id, or slug@name such as gateway@2.4.1.`,
    )
  return { firmware, version }
}

/** Creates the firmware and the version where they do not exist; what an id names does. */
export async function ensureFirmwareVersionId(
  session: Session,
  text: string | undefined,
  options: VersionOptions & { line?: string },
): Promise<string> {
  if (isId(text, options)) return text
  const name = readVersionName(text, options)
  if (!name) throw noVersion()
  const { client, workspaceId } = session
  const firmware = await findOrCreate(
    () => findFirmware(session, name.firmware),
    () =>
      client.post('/workspaces/{workspaceId}/firmwares', {
        params: { workspaceId },
        body: { slug: name.firmware.trim() },
      }),
  )
  const version = await findOrCreate(
    () => findVersion(session, firmware.id, name.version),
    async () =>
      client.post('/workspaces/{workspaceId}/firmwares/{firmwareId}/versions', {
        params: { workspaceId, firmwareId: firmware.id },
        body: { name: name.version, ...(await readLine(session, firmware.id, options.line)) },
      }),
  )
  return version.id
}

/** Two pipelines may create the same at once; the second one uses what the first one made. */
async function findOrCreate<Found extends { id: string }>(
  find: () => Promise<Found | undefined>,
  create: () => Promise<Found>,
): Promise<Found> {
  const found = await find()
  if (found) return found
  return create().catch(async (error: unknown) => {
    const made =
      error instanceof ApiProblem && error.problem.status === 409 ? await find() : undefined
    if (!made) throw error
    return made
  })
}

export async function findFirmware({ client, workspaceId }: Session, slug: string) {
  const { firmwares } = await client.get('/workspaces/{workspaceId}/firmwares', {
    params: { workspaceId },
  })
  const meant = slug.trim()
  return firmwares.find((firmware) => firmware.slug === meant || firmware.id === meant)
}

async function findVersion(
  { client, workspaceId }: Session,
  firmwareId: string,
  name: string,
): Promise<FirmwareVersionListItem | undefined> {
  const path = '/workspaces/{workspaceId}/firmwares/{firmwareId}/versions'
  const params = { workspaceId, firmwareId }
  const { firmwareVersions } = await client.get(path, { params })
  return findNamed(firmwareVersions, name)
}

/** As it is written, else as it is meant: a VERSION file may end with a line break. */
function findNamed<Named extends { name: string }>(all: readonly Named[], name: string) {
  return all.find((one) => one.name === name) ?? all.find((one) => isAlike(one.name, name))
}
