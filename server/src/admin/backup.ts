/** `admin backup`, `backup verify`, `backup list` and `restore`. */
import { formatCountOf } from '../formats/counts.ts'
import type { Command } from 'commander'
import type { BackupStore } from '../backup/backup-store.ts'
import { createQueryBuilder, withSession } from '../backup/database-session.ts'
import { findManifest, listBackupIds, type Manifest, readManifest } from '../backup/manifest.ts'
import { openForReading, openForWriting } from '../backup/open-store.ts'
import { restoreBackup } from '../backup/restore-backup.ts'
import { recordSuccess } from '../backup/state-store.ts'
import { takeBackup } from '../backup/take-backup.ts'
import { openSeal, sealTo } from '../backup/seal.ts'
import { type Source, type VerifyOutcome, verifyBackup } from '../backup/verify-backup.ts'
import { parseKeep } from '../config/backup-settings.ts'
import { type Config, readConfig } from '../config/config.ts'
import { listSecretsInClear } from '../config/warnings.ts'
import { openDatabase } from '../open-context.ts'
import type { BlobStore } from '../platform/blobs/blob-store.ts'
import { openBlobStore } from '../platform/blobs/open-blob-store.ts'
import { invalid } from '../platform/errors.ts'
import { createLog } from '../platform/log.ts'
import type { CommandMeans } from './sboms.ts'

type Means = Pick<CommandMeans, 'print'>

interface Json {
  json?: boolean
}

interface How {
  encryptTo?: string[]
  keep?: string
}

interface Which {
  id?: string
  identity?: string
}

const TARGET = 'a folder or s3://bucket/folder for many backups, or a new file that ends with .tar'
const SOURCE = 'the folder, s3://bucket/folder or file'
const WHOLE = {
  All: 'The backup is whole.\n',
  Stored:
    'What is stored is whole. It is encrypted and was not opened: --identity FILE opens it.\n',
}

const EXIT_FAULTS = 1
const EXIT_INCOMPLETE = 3

export function addBackupCommands(program: Command, { print }: Means): void {
  const backup = program
    .command('backup')
    .description(
      'Back up database and stored files while the service runs; list and verify backups',
    )

  // `backup FOLDER` is the same.
  backup
    .command('create', { isDefault: true })
    .description('Back up; exit code 3: without files that could not be read')
    .argument('<target>', TARGET)
    .option(
      '--keep <amount>',
      'delete older backups: how many stay (14), or of how many days (30d)',
    )
    .option(
      '--encrypt-to <recipients...>',
      'public keys of age (age1…): only who has one of their keys can read it',
    )
    .option('--json', 'answer as JSON')
    .action(async (target: string, { json, ...how }: Json & How) => {
      const answer = await backUp(target, how)
      print(json, answer)
      if (answer.missing.length > 0) process.exitCode = EXIT_INCOMPLETE
    })

  backup
    .command('list')
    .description('The backups in a folder or file, the oldest first')
    .argument('<source>', SOURCE)
    .option('--json', 'answer as JSON')
    .action(async (source: string, { json }: Json) => {
      const backups = await reading(source, listBackups)
      if (json === true) return print(json, { backups })
      for (const { id, takenAt, release, rows, files, contentBytes } of backups)
        process.stdout.write(
          `${id}  ${takenAt}  release ${release}  ${formatCountOf(rows, 'row')}  ${formatCountOf(files, 'file')}  ${inWords(contentBytes)}\n`,
        )
    })

  backup
    .command('verify')
    .description('Read all of a backup and compare it with its sums; exit code 0: whole, 1: not')
    .argument('<source>', SOURCE)
    .option('--id <id>', 'another backup than the newest')
    .option('--identity <file>', 'the file with the key, as age-keygen writes it')
    .option('--json', 'answer as JSON')
    .action(async (source: string, { json, ...which }: Json & Which) => {
      const verified = await reading(source, async (store) =>
        verifyBackup(await openSource(store, which), showProgress()),
      )
      if (json === true) print(json, { ...verified })
      else tell(verified, print)
      if (verified.faults.length > 0) process.exitCode = EXIT_FAULTS
    })

  restoreCommand(program, print)
}

function restoreCommand(program: Command, print: Means['print']): void {
  program
    .command('restore')
    .description('Restore a backup into an empty database and an empty file store')
    .argument('<source>', SOURCE)
    .option('--id <id>', 'another backup than the newest')
    .option('--identity <file>', 'the file with the key, as age-keygen writes it')
    .option('--json', 'answer as JSON')
    .action(async (source: string, { json, ...which }: Json & Which) => {
      const answer = await reading(source, async (store) => restore(await openSource(store, which)))
      print(json, answer)
    })
}

function tell({ faults, missing, ...counts }: VerifyOutcome, print: Means['print']): void {
  print(false, counts)
  for (const fault of faults) process.stdout.write(`FAULT  ${fault}\n`)
  process.stdout.write(wordsOnMissing(missing))
  process.stdout.write(faults.length === 0 ? WHOLE[counts.read] : '')
}

async function openSource(store: BackupStore, { id, identity }: Which): Promise<Source> {
  const manifest = await findManifest(store, id)
  return { store, manifest, seal: await openSeal(manifest.recipients, identity) }
}

async function backUp(target: string, { encryptTo = [], keep: stated }: How) {
  const keep = stated === undefined ? undefined : parseKeep(stated)
  if (stated !== undefined && !keep)
    throw invalid('--keep must be a number of backups (14) or of days (30d).')
  const beganAt = performance.now()
  return withInstallation(async ({ config, connectionString, blobs }) => {
    const backups = { ...config.backups, to: target, encryptTo }
    for (const { detail } of listSecretsInClear({ ...config, databaseUrl: undefined, backups }))
      process.stderr.write(`Warning: ${detail}\n`)
    const seal = await sealTo(encryptTo)
    const store = await openForWriting(target, config)
    try {
      const onProgress = showProgress()
      const options = { connectionString, blobs, store, seal, keep, onProgress }
      const { manifest, copied, days } = await takeBackup(options)
      process.stderr.write(wordsOnMissing(manifest.missing))
      const seconds = (performance.now() - beganAt) / 1_000
      await noteSuccess(connectionString, { manifest, seconds })
      return {
        ...described(manifest),
        newFiles: copied.newContents,
        newBytes: copied.newBytes,
        daysKept: days.kept,
        daysWritten: days.written,
        daysRead: days.read,
        seconds: Math.round(seconds * 10) / 10,
        missing: manifest.missing.map(({ key }) => key),
      }
    } finally {
      await store.close()
    }
  })
}

/** For health: a backup is a backup, whoever takes it. */
async function noteSuccess(
  connectionString: string,
  { manifest, seconds }: { manifest: Manifest; seconds: number },
): Promise<void> {
  const { contentBytes, missing } = manifest
  const success = { seconds, contentBytes, missingFiles: missing.length, isScheduled: false }
  await withSession(connectionString, (client) =>
    recordSuccess(createQueryBuilder(client), { ...success, takenAt: new Date(manifest.takenAt) }),
  )
}

async function restore(source: Source) {
  const { manifest } = source
  return withInstallation(async ({ config, connectionString, blobs }) => {
    const log = createLog(config.logLevel)
    const onProgress = showProgress()
    const restored = await restoreBackup({
      connectionString,
      blobs,
      ...source,
      log,
      onProgress,
    })
    process.stderr.write(wordsOnMissing(manifest.missing))
    return { id: manifest.id, takenAt: manifest.takenAt, ...restored }
  })
}

interface Installation {
  config: Config
  connectionString: string
  blobs: BlobStore
}

/** Unlike other commands, these change nothing in the database before they begin. */
async function withInstallation<Result>(
  use: (installation: Installation) => Promise<Result>,
): Promise<Result> {
  const config = readConfig(undefined, { PLIMSOLL_LOG_LEVEL: 'silent' })
  const onProgress = (text: string) => process.stderr.write(`${text}\n`)
  const log = createLog(config.logLevel)
  const database = await openDatabase({ config, log, onProgress, as: 'command' })
  try {
    const blobs = await openBlobStore(config.blobs)
    return await use({ config, connectionString: database.connectionString, blobs })
  } finally {
    await database.release()
  }
}

async function reading<Result>(
  source: string,
  use: (store: BackupStore) => Promise<Result>,
): Promise<Result> {
  const store = await openForReading(source, readConfig())
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}

async function listBackups(store: BackupStore) {
  const backups = []
  for (const id of await listBackupIds(store))
    backups.push(described(await readManifest(store, id)))
  return backups
}

function described({ id, takenAt, endedAt, release, tables, jobs, ...rest }: Manifest) {
  return {
    id,
    takenAt,
    endedAt,
    release,
    rows: tables.reduce((sum, { rows }) => sum + rows, 0),
    jobs: jobs.rows,
    encryptedTo: rest.recipients,
    files: rest.files.rows,
    contentBytes: rest.contentBytes,
  }
}

function wordsOnMissing(missing: Manifest['missing']): string {
  return missing
    .map(({ key, reason }) => `Not in the backup: the file ${key}, as ${reason}.\n`)
    .join('')
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']

function inWords(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10))
  return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${UNITS[power]}`
}

const SHOWN_EVERY_MS = 200

/** One line of a terminal that changes; nothing elsewhere. */
function showProgress(): (text: string) => void {
  const { stderr } = process
  if (!stderr.isTTY) return () => undefined
  let shownAt = 0
  process.once('exit', () => stderr.write('\r\u001b[K'))
  return (text) => {
    if (performance.now() - shownAt < SHOWN_EVERY_MS) return
    shownAt = performance.now()
    stderr.write(`\r\u001b[K${text.slice(0, stderr.columns - 1)}`)
  }
}
