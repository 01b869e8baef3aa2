/** Which devices are meant: the same options for a list, and for what changes all that match. */
import type { Command } from 'commander'
import { type DeviceFilter, KEY_ROTATION_STATE } from '../../api-client/src/index.ts'
import { collect, readOneOf, readWholeNumber } from './option-values.ts'

const DAY_MS = 24 * 3_600_000

export interface DeviceFilterOptions {
  tag?: string[]
  cohort?: string[]
  cve?: string[]
  text?: string
  connected?: boolean
  vulnerable?: boolean
  exploited?: boolean
  blindSpot?: boolean
  image?: string[]
  keyOlderThan?: number
  ownKey?: boolean
  keyRotation?: (typeof KEY_ROTATION_STATE)[number]
}

export function withDeviceFilter(command: Command): Command {
  return command
    .option('--tag <tag>', 'with this tag; may be repeated: all of them', collect)
    .option('--cohort <cohort>', 'of the cohort with this id or name; may be repeated', collect)
    .option(
      '--cve <id>',
      'that run a version with an active finding of it; may be repeated',
      collect,
    )
    .option('--text <text>', 'whose id or description contains it')
    .option('--connected', 'only connected ones')
    .option('--no-connected', 'only those that are not connected')
    .option('--vulnerable', 'only those that run a version with active findings')
    .option('--exploited', 'only those that run a version with a finding known to be exploited')
    .option(
      '--blind-spot',
      'only those that run a version unknown to the workspace, or report another image than that of the version',
    )
    .option('--image <hash>', 'that report this hash of the image; may be repeated', collect)
    .option(
      '--key-older-than <days>',
      'with a key of their own that is older than so many days',
      readWholeNumber,
    )
    .option('--own-key', 'only those with a key of their own')
    .option('--no-own-key', 'only those without a key of their own')
    .option(
      '--key-rotation <state>',
      `asked to replace their keys: ${KEY_ROTATION_STATE.join(', ')}`,
      readOneOf(KEY_ROTATION_STATE),
    )
}

export function readDeviceFilter(options: DeviceFilterOptions): DeviceFilter {
  const { tag, cohort, cve, text, connected, vulnerable, exploited, blindSpot } = options
  const { image } = options
  return {
    ...(tag && { allTags: tag }),
    ...(cohort && { cohortIds: cohort }),
    ...(cve && { cveIds: cve }),
    ...(text !== undefined && { text }),
    ...(connected !== undefined && { connected }),
    ...(vulnerable && { vulnerable }),
    ...(exploited && { exploited }),
    ...(blindSpot && { blindSpot }),
    ...(image && { imageHashes: image }),
    ...readKeyFilter(options),
  }
}

function readKeyFilter({ keyRotation, keyOlderThan, ownKey }: DeviceFilterOptions): DeviceFilter {
  return {
    ...(keyOlderThan !== undefined && {
      ownKeyMadeBefore: new Date(Date.now() - keyOlderThan * DAY_MS).toISOString(),
    }),
    ...(ownKey !== undefined && { ownKey }),
    ...(keyRotation && { keyRotation: [keyRotation] }),
  }
}
