/** Reads and checks every setting. Nothing outside this folder reads the environment for settings. */
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { ConfigError } from './config-error.ts'
import { type BackupSettings, readBackups } from './backup-settings.ts'
import { readEncryptionKeys } from './encryption-settings.ts'
import { type FeedSettings, readFeedSettings } from './feed-settings.ts'
import { DEFAULT_SBOM_LIMITS, type SbomLimits } from '../formats/sboms/limits.ts'
import { type HttpPort, readHttpPort } from './http-settings.ts'
import { EXPENSIVE_SHARES, type DoorSettings, readDoor, readShares, type Shares } from './limits.ts'
import { type LogSettings, readLog } from './log-settings.ts'
import { readMail } from './mail-settings.ts'
import { type MqttSettings, readMqtt } from './mqtt-settings.ts'
import { type PeopleSettings, readPeople } from './people-settings.ts'
import type { BlobStoreConfig } from '../platform/blobs/blob-store.ts'
import type { Certificate } from '../platform/certificate.ts'
import type { Purpose } from '../platform/db/connect.ts'
import type { MailSettings } from '../platform/mail/settings.ts'
import type { EncryptionKeys } from '../platform/secret-encryption.ts'
import type { TracingSettings } from '../platform/tracing/tracing.ts'
import { type Environment, SettingsReader } from './reader.ts'
import { type ConfigWarning, listConfigWarnings } from './warnings.ts'
import { readWebhooks, type WebhookSettings } from './webhook-settings.ts'

export const ROLES = ['api', 'worker', 'gateway'] as const
export type Role = (typeof ROLES)[number]

/** Something to try, and the path of its page. */
export interface TourStep {
  title: string
  text: string
  path: string
}

export interface Config extends Shares, LogSettings {
  dataDir: string
  /** The address at which the HTTP port listens. */
  host: string
  port: number
  tls: Certificate | undefined
  trustedProxies: HttpPort['trustedProxies']
  asksForCertificates: HttpPort['asksForCertificates']
  handshakesPerSecond: HttpPort['handshakesPerSecond']
  certificateProxies: HttpPort['certificateProxies']
  publicUrl: string
  coversSubdomains: HttpPort['coversSubdomains']
  managementPort: number
  managementHost: string
  /** How many workspaces have counts of their own in metrics: those with the most devices. */
  metricsWorkspaces: number
  /** How long a process that stops goes on serving, so that a balancer sees that it is not ready. */
  drainSeconds: number
  /** Whether the service serves the portal. */
  servesPortal: boolean
  databaseUrl: string | undefined
  /** Where PostgreSQL's programs are for the embedded database; undefined: npm's, or the distribution's. */
  embeddedPostgres: string | undefined
  /** A streaming replica of that database, for expensive reads. */
  readDatabaseUrl: string | undefined
  /** The most connections for each purpose; a process has 5 more for jobs. */
  databasePools: Record<Purpose, number>
  encryptionKeys: EncryptionKeys
  blobs: BlobStoreConfig
  /** How buckets are reached. Keys may be empty where none is used. */
  s3: Omit<S3Config, 'bucket'>
  backups: BackupSettings
  /** Statements that take as long are named in the log; 0: none. */
  slowStatementMs: number
  /** undefined: no traces. */
  tracing: TracingSettings | undefined
  door: DoorSettings
  /** Requests a minute for one key; 0: no limit. */
  rateLimitPerMinute: number
  /** Requests a minute of one device at the HTTP door; 0: no limit. */
  deviceRequestsPerMinute: number
  /** 0: no limit. */
  deviceDownloadBytesPerMinute: number
  contentLinkSeconds: number
  /** Lists of a workspace read all rows that meet a filter if they are no more than these, else the first ones in order. Only tests change it. */
  fewMatches: number
  sboms: SbomSettings
  /** The largest firmware artifact. */
  artifactBytes: number
  telemetry: TelemetrySettings
  mqtt: MqttSettings
  mail: MailSettings
  people: PeopleSettings
  feeds: FeedSettings
  vexPublisher: VexPublisherSettings
  webhooks: WebhookSettings
  /** What the portal proposes to try first: the demo fills it once it knows the addresses. */
  tour: readonly TourStep[]
  warnings: readonly ConfigWarning[]
}

interface TelemetrySettings {
  /** The number of series. Points of further series are counted and dropped. */
  metricSeriesPerDevice: number
  metricSeriesPerWorkspace: number
  /** The longest time that a query of metrics or logs may take. */
  querySeconds: number
}

/** The publisher of VEX documents. */
interface VexPublisherSettings {
  /** undefined: the name of the workspace. */
  name: string | undefined
  namespace: string
  category: 'coordinator' | 'discoverer' | 'other' | 'translator' | 'user' | 'vendor'
  contact: string | undefined
}

interface SbomSettings {
  fileBytes: number
  files: number
  /** Limits of the parser for one file. */
  limits: SbomLimits
  parseSeconds: number
  /** The longest time that storing the components of one file may take. */
  storeSeconds: number
  /** Files of one workspace that may wait to be parsed, and their bytes. */
  waitingFiles: number
  waitingBytes: number
  parserHeapMegabytes: number
  parsers: number
}

const PORTS = { min: 0, max: 65_535 }
const ANY_NUMBER = { min: 0, max: 1e9 }
type S3Config = Extract<BlobStoreConfig, { kind: 's3' }>

const MEBIBYTE = 1024 * 1024

/** Reads settings that have the same names in all programs with OpenTelemetry. */
function readTracing(reader: SettingsReader): TracingSettings | undefined {
  const url = reader.url('OTEL_EXPORTER_OTLP_ENDPOINT', ['http:', 'https:'])
  const serviceName = reader.text('OTEL_SERVICE_NAME') ?? 'plimsoll'
  return url === undefined ? undefined : { url, serviceName }
}

/** `defaults` apply to variables that the environment does not set. */
export function readConfig(env: Environment = process.env, defaults: Environment = {}): Config {
  return readConfigFrom(new SettingsReader(env, defaults))
}

/** What each setting that is set became, for `config check`. */
export function readSettings(env: Environment = process.env) {
  const reader = new SettingsReader(env, {})
  return { config: readConfigFrom(reader), settings: reader.listRead() }
}

export function readConfigFrom(reader: SettingsReader): Config {
  const dataDir = resolve(reader.text('PLIMSOLL_DATA_DIR') ?? './data')
  const http = readHttpPort(reader)
  const { host, publicUrl } = http
  const config: Omit<Config, 'warnings'> = {
    dataDir,
    ...http,
    managementHost: reader.text('PLIMSOLL_MANAGEMENT_HOST') ?? '127.0.0.1',
    managementPort: reader.integer('PLIMSOLL_MANAGEMENT_PORT', 9090, PORTS),
    metricsWorkspaces: reader.integer('PLIMSOLL_METRICS_WORKSPACES', 10, { min: 0, max: 1_000 }),
    drainSeconds: reader.integer('PLIMSOLL_DRAIN_SECONDS', 0, { min: 0, max: 300 }),
    servesPortal: reader.flag('PLIMSOLL_PORTAL', true),
    databaseUrl: reader.url('DATABASE_URL', ['postgres:', 'postgresql:']),
    embeddedPostgres: reader.text('PLIMSOLL_EMBEDDED_POSTGRES'),
    readDatabaseUrl: reader.url('PLIMSOLL_READ_DATABASE_URL', ['postgres:', 'postgresql:']),
    ...readLog(reader),
    ...readPools(reader),
    encryptionKeys: readEncryptionKeys(reader),
    ...readBlobs(reader, dataDir),
    backups: readBackups(reader),
    slowStatementMs: reader.integer('PLIMSOLL_SLOW_STATEMENT_MS', 2_000, ANY_NUMBER),
    tracing: readTracing(reader),
    door: readDoor(reader),
    rateLimitPerMinute: reader.integer('PLIMSOLL_RATE_LIMIT_PER_MINUTE', 6_000, ANY_NUMBER),
    deviceRequestsPerMinute: reader.integer('PLIMSOLL_DEVICE_REQUESTS_PER_MINUTE', 60, {
      min: 0,
      max: 1e6,
    }),
    deviceDownloadBytesPerMinute:
      reader.integer('PLIMSOLL_DEVICE_DOWNLOAD_MEBIBYTES_PER_MINUTE', 4_096, {
        min: 0,
        max: 1e6,
      }) * MEBIBYTE,
    fewMatches: 10_000,
    contentLinkSeconds: reader.integer('PLIMSOLL_CONTENT_LINK_SECONDS', 900, {
      min: 1,
      max: 604_800,
    }),
    artifactBytes:
      reader.integer('PLIMSOLL_ARTIFACT_MAX_MEBIBYTES', 4_096, { min: 1, max: 65_536 }) * MEBIBYTE,
    telemetry: readTelemetrySettings(reader),
    mqtt: readMqtt(reader, host),
    mail: readMail(reader, publicUrl),
    people: readPeople(reader),
    feeds: readFeedSettings(reader),
    vexPublisher: readVexPublisher(reader, publicUrl),
    webhooks: readWebhooks(reader),
    tour: [],
  }
  if (reader.faults.length > 0) throw new ConfigError(reader.faults.join('\n'))
  // Read last: a setting is known because it was read.
  return { ...config, warnings: listConfigWarnings(reader, config) }
}

/** Health asks few questions, one after another. Whether the database answers must not wait for what they wait for. */
const HEALTH_CONNECTIONS = 2
const READY_CONNECTIONS = 1

/** For expensive requests, and for parsers, linking, reading again and matching. */
const slowConnections = ({ expensiveRequestsPerWorkspace: each }: Shares, parsers: number) =>
  EXPENSIVE_SHARES * each + parsers + 4

function readPools(reader: SettingsReader) {
  const shares = readShares(reader)
  const sboms = readSbomSettings(reader)
  const slow = slowConnections(shares, sboms.parsers)
  return { ...shares, sboms, databasePools: { ...readDatabasePools(reader), slow } }
}

function readDatabasePools(reader: SettingsReader): Omit<Record<Purpose, number>, 'slow'> {
  const size = (name: string, fallback: number) =>
    reader.integer(name, fallback, { min: 2, max: 500 })
  return {
    api: size('PLIMSOLL_DATABASE_POOL_SIZE', 20),
    devices: size('PLIMSOLL_DATABASE_DEVICE_POOL_SIZE', 10),
    work: size('PLIMSOLL_DATABASE_WORKER_POOL_SIZE', 12),
    health: HEALTH_CONNECTIONS,
    ready: READY_CONNECTIONS,
  }
}

function readTelemetrySettings(reader: SettingsReader): TelemetrySettings {
  const range = { min: 1, max: 1_000_000_000 }
  return {
    metricSeriesPerDevice: reader.integer('PLIMSOLL_METRIC_SERIES_PER_DEVICE', 1_000, range),
    metricSeriesPerWorkspace: reader.integer('PLIMSOLL_METRIC_SERIES_PER_WORKSPACE', 2e6, range),
    querySeconds: reader.integer('PLIMSOLL_TELEMETRY_QUERY_SECONDS', 30, { min: 1, max: 600 }),
  }
}

const PUBLISHERS = ['vendor', 'coordinator', 'discoverer', 'translator', 'user', 'other'] as const

function readVexPublisher(reader: SettingsReader, publicUrl: string): VexPublisherSettings {
  const category = reader.text('PLIMSOLL_VEX_PUBLISHER_CATEGORY') ?? 'vendor'
  const known = PUBLISHERS.find((one) => one === category)
  if (known === undefined)
    reader.faults.push(`PLIMSOLL_VEX_PUBLISHER_CATEGORY must be one of ${PUBLISHERS.join(', ')}.`)
  return {
    name: reader.text('PLIMSOLL_VEX_PUBLISHER_NAME'),
    namespace: reader.url('PLIMSOLL_VEX_PUBLISHER_NAMESPACE', ['http:', 'https:']) ?? publicUrl,
    category: known ?? 'vendor',
    contact: reader.text('PLIMSOLL_VEX_PUBLISHER_CONTACT'),
  }
}

function readSbomSettings(reader: SettingsReader): SbomSettings {
  return {
    fileBytes:
      reader.integer('PLIMSOLL_SBOM_MAX_FILE_MEBIBYTES', 256, { min: 1, max: 65_536 }) * MEBIBYTE,
    files: reader.integer('PLIMSOLL_SBOM_MAX_FILES', 20, { min: 1, max: 1_000 }),
    limits: readSbomLimits(reader),
    parseSeconds: reader.integer('PLIMSOLL_SBOM_PARSE_SECONDS', 300, { min: 1, max: 86_400 }),
    storeSeconds: reader.integer('PLIMSOLL_SBOM_STORE_SECONDS', 300, { min: 1, max: 86_400 }),
    waitingFiles: reader.integer('PLIMSOLL_WORKSPACE_WAITING_SBOMS', 1_000, { min: 1, max: 1e6 }),
    waitingBytes:
      reader.integer('PLIMSOLL_WORKSPACE_WAITING_SBOM_MEBIBYTES', 4_096, { min: 1, max: 1e6 }) *
      MEBIBYTE,
    parserHeapMegabytes: reader.integer('PLIMSOLL_SBOM_PARSER_HEAP_MEGABYTES', 1_024, {
      min: 64,
      max: 65_536,
    }),
    parsers: reader.integer('PLIMSOLL_SBOM_PARSERS', Math.min(2, availableParallelism()), {
      min: 1,
      max: 64,
    }),
  }
}

function readSbomLimits(reader: SettingsReader): SbomLimits {
  const defaults = DEFAULT_SBOM_LIMITS
  const count = (name: string, fallback: number) =>
    reader.integer(name, fallback, { min: 1, max: 2_000_000_000 })
  return {
    ...defaults,
    // A document is parsed as one string, which V8 limits to 512 MiB.
    decompressedBytes:
      reader.integer('PLIMSOLL_SBOM_MAX_DECOMPRESSED_MEBIBYTES', 512, { min: 1, max: 512 }) *
      MEBIBYTE,
    ratio: count('PLIMSOLL_SBOM_MAX_COMPRESSION_RATIO', defaults.ratio),
    depth: reader.integer('PLIMSOLL_SBOM_MAX_DEPTH', defaults.depth, { min: 1, max: 10_000 }),
    values: count('PLIMSOLL_SBOM_MAX_VALUES', defaults.values),
    components: count('PLIMSOLL_SBOM_MAX_COMPONENTS', defaults.components),
  }
}

function readBlobs(reader: SettingsReader, dataDir: string): Pick<Config, 'blobs' | 's3'> {
  const bucket = reader.text('PLIMSOLL_S3_BUCKET')
  const endpoint = reader.url('PLIMSOLL_S3_ENDPOINT', ['http:', 'https:'])
  const accessKeyId = reader.text('PLIMSOLL_S3_ACCESS_KEY_ID') ?? ''
  const secretAccessKey = reader.text('PLIMSOLL_S3_SECRET_ACCESS_KEY') ?? ''
  if ((accessKeyId === '') !== (secretAccessKey === ''))
    reader.faults.push(
      'PLIMSOLL_S3_ACCESS_KEY_ID and PLIMSOLL_S3_SECRET_ACCESS_KEY are set together, or neither, where the machine has a role.',
    )
  const s3 = {
    kind: 's3' as const,
    ...(endpoint === undefined ? {} : { endpoint }),
    region: reader.text('PLIMSOLL_S3_REGION') ?? 'us-east-1',
    accessKeyId,
    secretAccessKey,
    forcePathStyle: reader.text('PLIMSOLL_S3_FORCE_PATH_STYLE') !== 'false',
  }
  return bucket === undefined
    ? { s3, blobs: { kind: 'fs', directory: resolve(dataDir, 'blobs') } }
    : { s3, blobs: { ...s3, bucket } }
}
