/** The devices that run what a report is about. */
import type { Html } from '../../../platform/html.ts'
import { describeLeftOut, renderSection, renderTable } from './sheet.ts'
import { formatTime } from './words.ts'

export interface RunningDevice {
  id: string
  description: string | null
  cohortName: string | null
  lastSeenAt: Date | null
  firmware: string
}

export interface ReportedDevices {
  total: number
  /** null: whoever asked may not read devices. */
  listed: readonly RunningDevice[] | null
}

/** `sentence`: how many there are, and of what. */
export function renderDevices(sentence: string, { total, listed }: ReportedDevices): Html {
  if (listed === null) {
    const why = 'They are not named, as this report was made for somebody who may not read devices.'
    return renderSection('Devices', total === 0 ? sentence : `${sentence} ${why}`)
  }
  return renderSection(
    'Devices',
    sentence,
    describeLeftOut(total, listed.length, 'device'),
    listed.length === 0 ? null : renderTable(COLUMNS, listed),
  )
}

const COLUMNS = [
  { title: 'Device', cell: ({ id }: RunningDevice) => id },
  { title: 'Description', cell: ({ description }: RunningDevice) => description },
  { title: 'Cohort', cell: ({ cohortName }: RunningDevice) => cohortName ?? 'none' },
  { title: 'Runs', cell: ({ firmware }: RunningDevice) => firmware },
  {
    title: 'Last seen',
    cell: ({ lastSeenAt }: RunningDevice) =>
      lastSeenAt === null ? 'never' : formatTime(lastSeenAt),
  },
]
