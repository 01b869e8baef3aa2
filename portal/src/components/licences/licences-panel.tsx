/** The licences that components of the version state, the worst first, and what may not ship. */
import type { JudgedLicence, VersionLicences } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { formatCountOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { type Column, DataTable } from '../data-table.tsx'
import { ListPanel } from '../list-panel.tsx'
import { Empty } from '../states.tsx'
import { Tag } from '../tag.tsx'
import css from './licences-panel.module.css'
import { licencesQuery } from './queries.ts'
import { OUTCOME_TONES, OUTCOME_WORDS } from './outcome-words.ts'
import { RulesButton } from './rules-dialog.tsx'

const COLUMNS: readonly Column<JudgedLicence>[] = [
  {
    id: 'licence',
    title: 'Licence',
    width: 'minmax(0, 1.6fr)',
    cell: ({ licence }) =>
      licence === null ? 'None is stated' : <span title={licence}>{licence}</span>,
  },
  {
    id: 'outcome',
    title: 'Outcome',
    width: 'minmax(0, 0.8fr)',
    cell: ({ outcome }) =>
      outcome === null ? (
        'Not judged'
      ) : (
        <Tag tone={OUTCOME_TONES[outcome]}>{OUTCOME_WORDS[outcome]}</Tag>
      ),
  },
  {
    id: 'components',
    title: 'Components',
    width: 'minmax(0, 1.6fr)',
    cell: (judged) => <span title={judged.components.join(', ')}>{nameComponents(judged)}</span>,
  },
  {
    id: 'why',
    title: 'Why',
    width: 'minmax(0, 1.8fr)',
    cell: ({ reasons }) => <span title={reasons.join('; ')}>{reasons.join('; ')}</span>,
    isWideOnly: true,
  },
]

const MOST_NAMED = 2

function nameComponents({ components, componentCount }: JudgedLicence): string {
  const named = components.slice(0, MOST_NAMED)
  const rest = componentCount - named.length
  return named.join(', ') + (rest > 0 ? ` and ${formatCountOf(rest, 'more', 'more')}` : '')
}

interface LicencesPanelProps {
  versionId: string
  firmware: { id: string; name: string }
}

export default function LicencesPanel({ versionId, firmware }: LicencesPanelProps) {
  const workspaceId = useWorkspaceId()
  const query = useQuery(licencesQuery(workspaceId, versionId))
  const { data } = query
  const notice = `/workspaces/${workspaceId}/firmware-versions/${versionId}/notice`
  return (
    <ListPanel
      query={query}
      rows={data?.licences}
      loadingRows={6}
      title="Licences"
      aside={
        <span className={css['acts']}>
          <RulesButton firmware={firmware} of="workspace" />
          <RulesButton firmware={firmware} of="firmware" />
          <a href={`${notice}/page`} target="_blank" rel="noreferrer">
            Notice
          </a>
          <a href={notice} download="notice.txt">
            as text
          </a>
        </span>
      }
      head={data && <p className={css['summary']}>{describe(data)}</p>}
      empty={
        <Empty title="No component ships">
          The version has no SBOM with components, so nothing is known of licences.
        </Empty>
      }
    >
      {(rows) => (
        <DataTable
          label="Licences"
          columns={COLUMNS}
          rows={rows}
          keyOf={({ licence }) => licence ?? ''}
        />
      )}
    </ListPanel>
  )
}

function describe({ counts, componentCount, rulesOf, failingCount, failOn }: VersionLicences) {
  const components = formatCountOf(componentCount, 'component')
  if (!counts || rulesOf === null)
    return `${components}. There are no licence rules, so that nothing was judged: say which licences may ship.`
  const told = (['denied', 'notListed', 'unknown', 'review', 'allowed'] as const)
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => `${counts[outcome]} ${OUTCOME_WORDS[outcome].toLowerCase()}`)
  const whose = rulesOf === 'Firmware' ? 'of this firmware' : 'of the workspace'
  const ships =
    failOn.length === 0
      ? 'The rules keep nothing from shipping.'
      : `By the rules ${whose}, ${formatCountOf(failingCount ?? 0, 'component')} may not ship.`
  return `${components}: ${told.join(', ')}. ${ships}`
}
