/** Which vulnerability sources a report rests on, and how old they are. */
import type { Html } from '../../../platform/html.ts'
import { STATE_WORDS } from '../../feeds/index.ts'
import { renderSection, renderTable, renderWarning } from './sheet.ts'
import { formatAge, formatTime, nameSource } from './words.ts'

export interface SourceAge {
  source: string
  lastCompleteAt: Date | null
  isStale: boolean
  state: keyof typeof STATE_WORDS
}

export function renderSources(sources: readonly SourceAge[], now: Date): Html {
  const stale = sources.filter(({ isStale }) => isStale).map(({ source }) => nameSource(source))
  return renderSection(
    'Vulnerability sources',
    stale.length === 0
      ? null
      : renderWarning(
          `Older than this service allows, or never read: ${stale.join(', ')}. What they published since is not in this report.`,
        ),
    renderTable(
      [
        { title: 'Source', width: 20, cell: ({ source }) => nameSource(source) },
        {
          title: 'Last read completely',
          width: 40,
          cell: ({ lastCompleteAt: at }) => (at === null ? 'never' : formatTime(at)),
        },
        {
          title: 'Age',
          cell: ({ lastCompleteAt: at }) => (at === null ? 'not known' : formatAge(at, now)),
        },
        { title: 'State', cell: ({ state }) => STATE_WORDS[state] },
      ],
      sources,
    ),
  )
}
