/** What the states of deployments and of their devices are called, in the portal and on the command line. */
import type {
  Deployment,
  DeploymentDeviceState,
  DeviceTraitKind,
  DeviceUpdateState,
  FailureTrait,
  ImageFormat,
  ImageVerification,
  OfferedArtifact,
  RoleArtifact,
} from './schema.ts'

const NAMES: Readonly<Record<string, string>> = {
  Scheduled: 'Scheduled',
  Running: 'Running',
  Paused: 'Paused',
  Stopped: 'Stopped itself',
  Superseded: 'Replaced',
  Cancelled: 'Cancelled',
} satisfies Record<Deployment['state'], string>

interface StateOfDeployment {
  /** A text, as some lists have it. */
  state: string
  /** null, or unknown to the caller: no reason. */
  stateReason?: string | null
}

export function nameDeploymentState({ state, stateReason }: StateOfDeployment): string {
  if (state === 'Superseded' && stateReason === 'rolled back') return 'Rolled back'
  return NAMES[state] ?? state
}

/** In the order of a bar: those under way, then those that have ended. */
export const DEVICE_STATE_NAMES: Record<DeploymentDeviceState, string> = {
  reporting: 'Installed',
  installing: 'Installing',
  failed: 'Failed',
  waiting: 'Waiting',
  cancelled: 'Not installed',
  movedOn: 'Moved on',
  left: 'Left the cohort',
}

/** What became of one update, whatever its device reports now. */
export const UPDATE_STATE_NAMES: Record<DeviceUpdateState, string> = {
  succeeded: 'Installed',
  inProgress: 'Installing',
  failed: 'Failed',
  cancelled: 'Cancelled',
  pending: 'Waiting',
}

/** What devices are compared by, in the plural. */
export const TRAIT_KIND_NAMES: Record<DeviceTraitKind, string> = {
  VersionBefore: 'versions before',
  OtherFirmware: 'other firmware',
  Attribute: 'attributes',
  Tag: 'tags',
  Client: 'clients',
  Door: 'ways to connect',
}

/** "board = rev-a", "gateway 4.1.0 before". */
export function describeTrait({ kind, name, value }: FailureTrait): string {
  switch (kind) {
    case 'VersionBefore':
      return `${name ?? 'firmware'} ${value} before`
    case 'OtherFirmware':
      return `${name ?? 'firmware'} ${value}`
    case 'Attribute':
      return `${name ?? 'attribute'} = ${value}`
    case 'Tag':
      return `tag ${value}`
    case 'Client':
      return `client ${value}`
    case 'Door':
      return `connects by ${value === 'Ddi' ? 'hawkBit' : value.toUpperCase()}`
  }
}

/** "delta from 2.4.1", "bootloader". */
export const nameArtifactRole = ({
  role,
  baseVersion,
}: Pick<RoleArtifact, 'role' | 'baseVersion'>): string =>
  baseVersion === null ? role : `${role} from ${baseVersion}`

function describeNoBase({ slug, runs }: Pick<OfferedArtifact, 'slug' | 'runs'>): string {
  if (runs === null)
    return `It never reported which version of ${slug} it runs, and a delta fits one version only.`
  return runs.confirmed
    ? `No delta begins with ${runs.version}, which it runs.`
    : `Its client reported that ${runs.version} was installed, but never that it runs: a delta needs to know.`
}

/** Why a device is offered this file of a version, and no other. */
export function describeOfferReason({
  reason,
  slug,
  baseVersion,
  runs,
}: Pick<OfferedArtifact, 'reason' | 'slug' | 'baseVersion' | 'runs'>): string {
  switch (reason) {
    case 'RunsBase':
      return `It reported to run exactly ${baseVersion ?? 'its base'}, so the delta takes the place of the full image.`
    case 'NoDelta':
      return 'The version has no delta.'
    case 'RunsNoBase':
      return describeNoBase({ slug, runs })
    case 'DeployedBefore':
      return 'The delta from what it runs was added after this deployment was made, which goes on as the release gate saw it. A deployment made now offers the delta.'
    case 'AttemptFailed':
      return 'An attempt failed, and the full image depends on nothing that is on the device.'
    case 'RollBack':
      return 'It is on its way back, and the full image depends on nothing that is on the device.'
    case 'ClientTakesNoDelta':
      return 'Its hawkBit client sends no user agent, like that of Zephyr, and takes the full image only.'
    case 'Part':
      return 'A part, beside the image or the delta.'
  }
}

const FORMAT_NAMES: Readonly<Record<ImageFormat, string | undefined>> = {
  MCUboot: 'MCUboot',
  SWUpdate: 'SWUpdate',
  RAUC: 'RAUC',
  Mender: 'Mender',
  FIT: 'FIT of U-Boot',
  UImage: 'uImage of U-Boot',
  UF2: 'UF2',
  AndroidSparse: 'sparse image of Android',
  'ESP-IDF': 'ESP-IDF',
  Other: undefined,
  NotKnown: undefined,
}

/** "RAUC, verity"; undefined: it has no name, or is not known. */
export function nameImageFormat({
  format,
  variant,
}: Pick<ImageVerification, 'format' | 'variant'>): string | undefined {
  const name =
    format === null ? undefined : format === 'Other' ? (variant ?? undefined) : FORMAT_NAMES[format]
  return name === undefined || variant === null || format === 'Other' ? name : `${name}, ${variant}`
}
