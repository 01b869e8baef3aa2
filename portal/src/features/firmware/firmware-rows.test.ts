import type { FirmwareInOverview } from '@plimsoll/api-client'
import { expect, it } from 'vitest'
import { describeLeft, listRows } from './firmware-rows.ts'

const mark = { state: 'Clear', sentence: 'Clear: nothing undecided of High or above' } as const
const versionOf = (name: string, deviceCount: number): FirmwareInOverview['versions'][number] => ({
  id: name,
  name,
  buildId: null,
  createdAt: '2026-11-01T00:00:00.000Z',
  line: null,
  mark,
  deviceCount,
  countsBySeverity: [],
  trend: [],
  rollouts: [],
})
const GATEWAY: FirmwareInOverview = {
  id: 'gateway',
  slug: 'gateway',
  name: 'Gateway',
  newest: { id: '4', name: '4', createdAt: '2026-11-01T00:00:00.000Z', mark },
  lines: [],
  versionCount: 6,
  deviceCount: 9,
  devicesByMark: [],
  trend: [],
  versions: [versionOf('2', 5), versionOf('4', 0), versionOf('3', 0), versionOf('1', 0)],
  left: { versions: 2, devices: 4, onNoDevice: 1, overloaded: 1 },
}
const namesOf = (search: Parameters<typeof listRows>[1]) =>
  listRows([GATEWAY], search).map((row) => {
    if (row.kind === 'version') return row.version.name
    return row.kind === 'left' ? describeLeft(row.left) : row.firmware.slug
  })

it.each`
  search                     | rows
  ${{}}                      | ${['gateway', '2', '4', '4 more versions: 4 devices, 1 version overloaded, 3 versions on none']}
  ${{ show: 'OnNoDevice' }}  | ${['gateway', '2', '4', '3', '1', '2 more versions: 4 devices, 1 version overloaded, 1 version on none']}
  ${{ folded: 'gateway' }}   | ${['gateway']}
  ${{ folded: 'a,gateway' }} | ${['gateway']}
`(
  'lists $rows for $search',
  ({ search, rows }: { search: Parameters<typeof listRows>[1]; rows: string[] }) => {
    expect(namesOf(search)).toEqual(rows)
  },
)
