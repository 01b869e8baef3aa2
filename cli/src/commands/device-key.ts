/** The keys with which devices connect. People make them, who logged in by `plimsoll login`; other API keys are refused. */
import type { Command } from 'commander'
import {
  type BodyOf,
  type DeviceKey,
  type DeviceKeyAges,
  readAllPages,
} from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { usageError } from '../failure.ts'
import { formatTime } from '../instant.ts'
import { type Fact, printFacts } from '../facts.ts'
import {
  choosePageSize,
  isForPeople,
  type ListOptions,
  printListing,
  readLimit,
  readUpTo,
  withListOptions,
} from '../listing.ts'
import { findCohortId, findOneByName } from '../named.ts'
import { readWholeNumber } from '../option-values.ts'
import { formatCount, note, printJson } from '../print.ts'
import { type ConnectionOptions, openSession, type Session, withConnection } from '../session.ts'
import type { Column } from '../table.ts'

const KEYS = '/workspaces/{workspaceId}/device-keys'

export function addDeviceKeyCommands(program: Command): void {
  const key = program.command('device-key').description('Keys with which devices connect')

  withListOptions(key.command('list'))
    .description(
      'List device keys and certificates, how old they are, when they were last used, and if they are replaced',
    )
    .option('--device <device>', 'only those that this device may use, also those of all devices')
    .option('--text <text>', 'a part of the name, or of the id of the device')
    .option('--revoked', 'only those that were revoked or replaced')
    .option('--no-revoked', 'only all others')
    .action(list)
  withConnection(key.command('create'))
    .description('Make a device key; it is shown this once')
    .argument('[device]', 'the device that may use it (default: all of the workspace)')
    .option('--name <name>', 'what it is for')
    .action(create)
  withConnection(key.command('rotate'))
    .description('Make another key for the same device; the old one goes on until it is revoked')
    .argument('<key>', 'id or name of the old one')
    .action(rotate)
  withConnection(key.command('ages'))
    .description('Count devices by the age of their keys, and who cannot replace them')
    .option('--days <days>', 'as if keys were replaced after so many days', readWholeNumber)
    .option('--cohort <cohort>', 'with --days: those of the devices of this cohort')
    .action(ages)
  withConfirmation(withConnection(key.command('revoke')))
    .description('Revoke a device key; devices that use it are cut off at once')
    .argument('<key>', 'its id or name')
    .action(revoke)
}

const COLUMNS: readonly Column<DeviceKey>[] = [
  { title: 'NAME', value: ({ name }) => name },
  {
    title: 'KIND',
    value: ({ certificate }) =>
      certificate ? `certificate until ${formatTime(certificate.expiresAt)}` : 'key',
  },
  { title: 'FOR', value: nameHolder },
  {
    title: 'STATE',
    value: describeState,
    style: (key) => (describeState(key) === 'in use' ? 'green' : 'dim'),
  },
  { title: 'AGE', value: ({ ageDays }) => formatCount(ageDays, 'day') },
  { title: 'LAST USED (UTC)', value: ({ lastUsedAt }) => formatTime(lastUsedAt) ?? 'never' },
  { title: 'REPLACEMENT', value: describeReplacement },
  { title: 'MADE BY', value: ({ createdByEmail }) => createdByEmail },
  { title: 'ID', value: ({ id }) => id },
]

function describeState({ revokedAt, certificate, isNext }: DeviceKey): string {
  if (revokedAt !== null) return 'revoked'
  if (isNext) return 'fetched, not used yet'
  const isEnded = certificate !== null && Date.parse(certificate.expiresAt) <= Date.now()
  return isEnded ? 'ended' : 'in use'
}

/** Why it does not happen is said in a sentence below. */
function describeReplacement({ replacement: { askedAt, state } }: DeviceKey): string | null {
  if (askedAt === null) return null
  return `asked ${formatTime(askedAt) ?? ''}${state === 'Unable' ? ', cannot' : ''}`
}

function nameHolder({ deviceId }: Pick<DeviceKey, 'deviceId'>): string {
  return deviceId ?? 'all devices'
}

interface ListKeysOptions extends ListOptions {
  device?: string
  text?: string
  revoked?: boolean
}

const readKeys = (
  { client, workspaceId }: Session,
  body: NonNullable<BodyOf<'listDeviceKeyPages'>>,
) =>
  readAllPages((cursor) =>
    client.post(`${KEYS}/list`, { params: { workspaceId }, body: { ...body, ...cursor } }),
  )

async function list(options: ListKeysOptions): Promise<void> {
  const { device: deviceId, text, revoked: isRevoked } = options
  const limit = readLimit(options)
  const filter = {
    ...(deviceId !== undefined && { deviceId }),
    ...(text !== undefined && { text }),
    ...(isRevoked !== undefined && { isRevoked }),
  }
  const pages = readKeys(await openSession(options), { filter, limit: choosePageSize(limit) })
  let count = 0
  let isLowerBound = false
  const { rows } = await readUpTo(limit, pages, (page) => {
    count = page.totalCount
    isLowerBound = page.totalCountIsLowerBound
    return page.deviceKeys
  })
  printListing(options, {
    rows,
    columns: COLUMNS,
    nameOf: ({ id }) => id,
    noun: 'device key',
    total: { count, isLowerBound },
    answer: (keys) => keys,
  })
  if (!isForPeople(options)) return
  const said = rows.filter(
    ({ replacement: { askedAt }, revokedAt }) =>
      revokedAt === null && (askedAt !== null || options.device !== undefined),
  )
  for (const { name, replacement } of said.slice(0, MOST_SAID))
    note(`${name}: ${replacement.standing}`)
  if (said.length > MOST_SAID)
    note(
      `${formatCount(said.length - MOST_SAID, 'more key')} asked to be replaced: --json says why each is not.`,
    )
}

const MOST_SAID = 20

async function create(
  device: string | undefined,
  options: ConnectionOptions & { name?: string },
): Promise<void> {
  const { name } = options
  await make(await openSession(options), options, {
    ...(device !== undefined && { deviceId: device }),
    ...(name !== undefined && { name }),
  })
}

interface AgesOptions extends ConnectionOptions {
  days?: number
  cohort?: string
}

async function ages(options: AgesOptions): Promise<void> {
  const { days, cohort } = options
  if (cohort !== undefined && days === undefined)
    throw usageError('Say which days the cohort would have: --days.')
  const session = await openSession(options)
  const deploymentCohortId = cohort === undefined ? undefined : await findCohortId(session, cohort)
  const found = await session.client.get('/workspaces/{workspaceId}/device-key-ages', {
    params: { workspaceId: session.workspaceId },
    query: {
      ...(days !== undefined && { days }),
      ...(deploymentCohortId && { deploymentCohortId }),
    },
  })
  if (options.json) {
    printJson(found)
    return
  }
  printFacts(listAges(found))
  note(found.standing)
  note('Devices by the age of their keys: plimsoll device list --oldest-key-first')
  if (found.unable > 0) note('They are listed by: plimsoll device list --key-rotation unable')
}

function listAges(found: DeviceKeyAges): Fact[] {
  return [
    ['Devices', found.devices],
    ['Key is young enough', found.young],
    ['Will be asked', found.due],
    ['Not in contact', found.away],
    ['Asked', found.asked],
    ['Told', found.told],
    ['Fetched a key', found.fetched],
    ['Cannot though told', found.unable],
    ['hawkBit clients', found.hawkbit],
    ['Without an own key', found.withoutOwnKey],
    ['Oldest key', formatTime(found.oldestKeyAt)],
  ]
}

/** The key alone is on stdout: a script stores it, and nothing else keeps it. */
async function make(
  { client, workspaceId }: Session,
  options: ConnectionOptions,
  body: { deviceId?: string; name?: string },
): Promise<void> {
  const answer = await client.post(KEYS, { params: { workspaceId }, body })
  const { id, deviceKey } = answer
  const holder = nameHolder({ deviceId: body.deviceId ?? null })
  if (!options.json && !options.quiet) note(`The key ${id} for ${holder}, shown this once:`)
  printDone(options, { answer, id: deviceKey, text: deviceKey })
}

async function rotate(text: string, options: ConnectionOptions): Promise<void> {
  const session = await openSession(options)
  const { id, name, deviceId, certificate } = await findKey(session, text)
  if (certificate)
    throw usageError('It is a certificate: the authority that issued it issues the next one.')
  await make(session, options, { name, ...(deviceId !== null && { deviceId }) })
  if (!options.json) note(`Once devices use it, end the old one: plimsoll device-key revoke ${id}`)
}

async function revoke(text: string, options: ConnectionOptions & ConfirmOptions): Promise<void> {
  const session = await openSession(options)
  const key = await findKey(session, text)
  const { id, name } = key
  const question = `Revoke the key ${name} of ${nameHolder(key)}? What connects with it is cut off at once.`
  await confirm(question, options)
  const params = { workspaceId: session.workspaceId, deviceKeyId: id }
  await session.client.delete(`${KEYS}/{deviceKeyId}`, { params })
  printDone(options, { answer: { id }, id, text: `${name}: revoked` })
}

/** Of the keys in force; several may have one name after a rotation, and then the id tells them apart. */
async function findKey(session: Session, text: string): Promise<DeviceKey> {
  const part = text.normalize('NFC').trim().slice(0, 200)
  const filter = { isRevoked: false, ...(part !== '' && { text: part }) }
  return findOneByName(text, 'device key in use', async () => {
    const found: DeviceKey[] = []
    for await (const { deviceKeys } of readKeys(session, { filter, limit: 1_000 }))
      for (const key of deviceKeys) found.push(key)
    return found
  })
}
