/** Reads and checks the options of `npm run simulate`. */
import { Command, InvalidArgumentError, Option } from 'commander'
import { appendKeys, readKeyFile } from './own-keys.ts'
import { DEFAULTS, type OutcomeWeights, type SimulationOptions } from './options.ts'

export interface SimulateCommand {
  options: SimulationOptions
  /** undefined: until stopped. */
  durationSeconds: number | undefined
  isJson: boolean
}

interface CommandOptions extends OutcomeWeights {
  workspace: string
  deviceKey: string
  deviceKeys?: { path: string; keys: SimulationOptions['ownKeys'] }
  unable: number
  devices: number
  sick: number
  prefix: string
  door: SimulationOptions['door']
  encoding: SimulationOptions['encoding']
  url: string
  mqtt: string
  firmware: Record<string, string>
  rate: number
  download: boolean
  metricsSeconds: number
  crashRate: number
  pollSeconds: number
  updateSeconds: number
  rebootSeconds: number
  badRelease?: string
  seed: string
  duration?: number
  json?: boolean
}

/** Throws commander's errors for missing or wrong options. */
export function readSimulateCommand(args: readonly string[]): SimulateCommand {
  const command = simulateCommand().parse([...args], { from: 'user' })
  const given = command.opts<CommandOptions>()
  const { success, failure, fallback, silence, json = false, duration, deviceKeys } = given
  if (success + failure + fallback + silence <= 0)
    command.error('one of --success, --failure, --fallback and --silence must be above 0')
  return {
    options: {
      ...given,
      workspaceId: given.workspace,
      fleet: DEFAULTS.fleet,
      ownKeys: deviceKeys?.keys ?? DEFAULTS.ownKeys,
      onOwnKeys: (id, keys) => deviceKeys && appendKeys(deviceKeys.path, id, keys),
      unablePercent: given.unable,
      badRelease: given.badRelease,
      mqttUrl: given.mqtt,
      outcomes: { success, failure, fallback, silence },
      isDownloading: given.download,
    },
    durationSeconds: duration,
    isJson: json,
  }
}

function simulateCommand(): Command {
  const { outcomes, ...defaults } = DEFAULTS
  const command = new Command('simulate')
    .description('Devices that talk to the service as real ones would (docs/guide/simulator.md)')
    .exitOverride()
    .requiredOption('--workspace <id>', 'id of the workspace')
    .addOption(
      new Option('--device-key <key>', 'a device key of the whole fleet')
        .env('PLIMSOLL_DEVICE_KEY')
        .argParser(deviceKey)
        .makeOptionMandatory(),
    )
    .option('--devices <count>', 'how many', whole(1, 100_000), defaults.devices)
    .option('--sick <count>', 'so many are hot and log errors', whole(0, 100_000), defaults.sick)
    .option('--prefix <text>', 'what their ids begin with', prefix, defaults.prefix)
    .addOption(
      new Option('--door <door>', 'which way they take')
        .choices(['mqtt', 'http', 'mixed'])
        .default(defaults.door),
    )
    .addOption(
      new Option('--encoding <encoding>', 'encoding of their messages')
        .choices(['json', 'cbor'])
        .default(defaults.encoding),
    )
    .option('--url <url>', 'URL of the HTTP API', url('http:', 'https:'), defaults.url)
    .option('--mqtt <url>', 'URL of the MQTT broker', url('mqtt:', 'mqtts:'), defaults.mqttUrl)
    .requiredOption(
      '--firmware <slug=version>',
      'firmware that they run; may be repeated',
      firmware,
    )
    .option('--rate <devices>', 'devices to start per second', number(0.01), defaults.rate)
    .option('--success <weight>', 'updates that succeed', number(0), outcomes.success)
    .option('--failure <weight>', 'updates that fail', number(0), outcomes.failure)
    .option(
      '--fallback <weight>',
      'devices that boot the old version',
      number(0),
      outcomes.fallback,
    )
    .option('--silence <weight>', 'devices that stay silent', number(0), outcomes.silence)
    .option(
      '--bad-release <version>',
      'devices that run it use more memory, log errors and restart',
    )
    .option('--no-download', 'do not download artifacts, only report it')
    .option('--seed <text>', 'the same seed gives the same outcomes', defaults.seed)
    .option('--duration <s>', 'end after this time', number(0))
    .option('--json', 'print a summary as JSON; progress goes to stderr')
  return withTimes(withKeys(command))
}

function withKeys(command: Command): Command {
  return command
    .option(
      '--device-keys <file>',
      'keys of single devices, in lines of DEVICE KEY; the file gets their next ones',
      keyFile,
    )
    .option(
      '--unable <percent>',
      'of these devices, those that do not know how to replace keys',
      number(0),
      DEFAULTS.unablePercent,
    )
}

function withTimes(command: Command): Command {
  return command
    .option(
      '--metrics-seconds <s>',
      'time between metrics; 0: none',
      number(0),
      DEFAULTS.metricsSeconds,
    )
    .option(
      '--crash-rate <crashes>',
      'crashes of each device in a day, drawn when it measures',
      number(0),
      DEFAULTS.crashRate,
    )
    .option('--poll-seconds <s>', 'time between HTTP syncs', number(0.1), DEFAULTS.pollSeconds)
    .option('--update-seconds <s>', 'time to install an update', number(0), DEFAULTS.updateSeconds)
    .option('--reboot-seconds <s>', 'time to boot', number(0), DEFAULTS.rebootSeconds)
}

function deviceKey(text: string): string {
  if (text.startsWith('plmd_')) return text
  throw new InvalidArgumentError('It must be a device key: plmd_ and 40 characters.')
}

function keyFile(path: string) {
  try {
    return { path, keys: readKeyFile(path) }
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error))
  }
}

function whole(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (Number.isInteger(value) && value >= min && value <= max) return value
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
  }
}

function number(min: number): (text: string) => number {
  return (text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text)
    if (Number.isFinite(value) && value >= min) return value
    throw new InvalidArgumentError(`It must be a number of at least ${min}.`)
  }
}

function url(...protocols: readonly string[]): (text: string) => string {
  return (text) => {
    if (protocols.includes(URL.parse(text)?.protocol ?? '')) return text.replace(/\/+$/, '')
    throw new InvalidArgumentError(`It must be a URL of the form ${protocols.join('// or ')}//….`)
  }
}

function prefix(text: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(text)) return text
  throw new InvalidArgumentError('Letters, digits, ".", "_" and "-", a letter or digit first.')
}

function firmware(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [, slug, version] = /^([^=]+)=(.+)$/.exec(text) ?? []
  if (slug === undefined || version === undefined)
    throw new InvalidArgumentError('It must be of the form slug=version.')
  return { ...before, [slug]: version }
}
