/** The rows of the table of firmwares: each firmware, its versions below it, and a line for those that are left out. */
import type { FirmwareInOverview, VersionInOverview } from '@plimsoll/api-client'
import { formatCountOf } from '../../format/counts.ts'
import type { FirmwaresSearch } from '../../searches.ts'

export type FirmwareRow =
  | { kind: 'firmware'; firmware: FirmwareInOverview; isFolded: boolean }
  | { kind: 'version'; firmware: FirmwareInOverview; version: VersionInOverview }
  | { kind: 'left'; firmware: FirmwareInOverview; left: FirmwareInOverview['left'] }

export const splitFolded = (folded: string | undefined) =>
  folded === undefined ? [] : folded.split(',')

export function listRows(
  firmwares: readonly FirmwareInOverview[],
  { folded, show }: FirmwaresSearch,
): FirmwareRow[] {
  const foldedSlugs = new Set(splitFolded(folded))
  return firmwares.flatMap((firmware): FirmwareRow[] => {
    const isFolded = foldedSlugs.has(firmware.slug)
    const head = { kind: 'firmware', firmware, isFolded } as const
    if (isFolded) return [head]
    const versions = show === undefined ? listInSight(firmware) : firmware.versions
    const unseen = firmware.versions.length - versions.length
    const left = {
      ...firmware.left,
      versions: firmware.left.versions + unseen,
      onNoDevice: firmware.left.onNoDevice + unseen,
    }
    return [
      head,
      ...versions.map((version) => ({ kind: 'version', firmware, version }) as const),
      ...(left.versions > 0 ? [{ kind: 'left', firmware, left } as const] : []),
    ]
  })
}

/** Versions on no device are told in one line, but for the newest of each line: it is what may come next. */
function listInSight({ versions, newest, lines }: FirmwareInOverview) {
  const newestIds = new Set([newest?.id, ...lines.map((line) => line.newest.id)])
  return versions.filter(({ id, deviceCount }) => deviceCount > 0 || newestIds.has(id ?? ''))
}

export function nameRow(row: FirmwareRow): string {
  const { slug } = row.firmware
  if (row.kind !== 'version') return `${row.kind} ${slug}`
  const { id, name, buildId } = row.version
  return id ?? `${slug} ${name} ${buildId ?? ''}`
}

/** "3 more versions: 5 devices, 1 overloaded, 2 on no device" */
export function describeLeft({
  versions,
  devices,
  onNoDevice,
  overloaded,
}: FirmwareInOverview['left']): string {
  const facts = [
    devices > 0 && formatCountOf(devices, 'device'),
    overloaded > 0 && `${formatCountOf(overloaded, 'version')} overloaded`,
    onNoDevice > 0 &&
      (onNoDevice === versions
        ? 'on no device'
        : `${formatCountOf(onNoDevice, 'version')} on none`),
  ].filter((fact) => fact !== false)
  return `${formatCountOf(versions, 'more version', 'more versions')}: ${facts.join(', ')}`
}
