import type { FirmwareVersion, VulnerabilityFinding } from '@plimsoll/api-client'
import { useInfiniteQuery, useQueries } from '@tanstack/react-query'
import { Button } from '../../../components/button.tsx'
import { DataTable } from '../../../components/data-table.tsx'
import { BulkActs } from '../../../components/decision/bulk-acts.tsx'
import { DropFilters } from '../../../components/drop-filters.tsx'
import { ListMenu } from '../../../components/list-menu.tsx'
import {
  listChoosable,
  type ListView,
  pickShown,
  useListView,
} from '../../../components/list-view.ts'
import { ListPanel, loadNextPage } from '../../../components/list-panel.tsx'
import { InPlaceOfPanelHead } from '../../../components/panel-head.tsx'
import { selectColumn } from '../../../components/select-column.tsx'
import { SelectionBar } from '../../../components/selection-bar.tsx'
import { type ListTotal, type Selection, useSelection } from '../../../components/selection.ts'
import { Empty } from '../../../components/states.tsx'
import { filterByText } from '../../../format/cve-ids.ts'
import { formatDateTime } from '../../../format/dates.ts'
import { VERSION_FINDINGS, type VersionSearch } from '../../../searches.ts'
import { useWorkspaceId } from '../../../session.ts'
import { findingFixesQuery, type VersionFilter, versionFindingsQuery } from '../queries.ts'
import { FindingFilters } from './finding-filters.tsx'
import { COLUMNS, type FindingRow, type FixOfRow } from './finding-columns.tsx'

interface FindingsTabProps {
  version: FirmwareVersion
  search: VersionSearch
  /** A past instant, of which nothing can be decided. */
  asOf?: string | undefined
  onChange: (next: VersionSearch) => void
}

export function FindingsTab({ version, search, asOf, onChange }: FindingsTabProps) {
  const workspaceId = useWorkspaceId()
  const [view, setView] = useListView('version-findings')
  const asked = askedOf(search, asOf)
  return (
    <>
      <FindingFilters versionId={version.id} search={search} asOf={asOf} onChange={onChange}>
        <ListMenu
          view={view}
          onChange={setView}
          columns={listChoosable(COLUMNS)}
          viewedList="version-findings"
          csv={{
            path: `/workspaces/${workspaceId}/firmware-versions/${version.id}/vulnerability-findings/export`,
            body: asked,
          }}
        />
      </FindingFilters>
      <Listed {...{ version, search, asOf, onChange, view, asked }} />
    </>
  )
}

/** What the list is asked for. */
function askedOf(search: VersionSearch, asOf: string | undefined) {
  const isOfPast = asOf !== undefined
  // What SSVC decided in the past is not known.
  const { sort = 'Risk', ssvc } = isOfPast ? { ...search, ssvc: undefined } : search
  return {
    filter: { ...filterOf(search), ...(ssvc !== undefined && { ssvcFrom: ssvc }) },
    sortColumn: isOfPast && sort === 'Ssvc' ? 'Risk' : sort,
    ascending: search.order === 'up',
    ...(asOf !== undefined && { asOf }),
  }
}

interface ListedProps extends FindingsTabProps {
  view: ListView
  asked: ReturnType<typeof askedOf>
}

function Listed({ version, search, asOf, onChange, view, asked }: ListedProps) {
  const workspaceId = useWorkspaceId()
  const list = useInfiniteQuery(versionFindingsQuery(workspaceId, version.id, asked))
  const fixes = useFixes(version.id, list.data?.pages, asOf)
  return (
    <ListPanel
      title="Findings"
      query={list}
      rows={list.data?.pages.flatMap((page) =>
        page.findings.map((finding) => ({ ...finding, fix: fixes(finding) })),
      )}
      loadingRows={10}
      empty={<NoFindings {...{ version, search, asOf, onChange }} />}
    >
      {(rows) => (
        <Rows
          {...{ version, asOf, onChange, view, asked, rows }}
          total={list.data?.pages[0] ?? { totalCount: 0, totalCountIsLowerBound: false }}
          onEnd={() => loadNextPage(list)}
        />
      )}
    </ListPanel>
  )
}

/** Where each finding ends, asked for page by page after the rows; for the present alone. */
function useFixes(
  versionId: string,
  pages: readonly { findings: VulnerabilityFinding[] }[] = [],
  asOf?: string,
): (finding: VulnerabilityFinding) => FixOfRow | undefined {
  const workspaceId = useWorkspaceId()
  const asked = asOf === undefined ? pages.filter(({ findings }) => findings.length > 0) : []
  const answers = useQueries({
    queries: asked.map(({ findings }) =>
      findingFixesQuery(workspaceId, versionId, findings.map(keyOf)),
    ),
  })
  const byFinding = new Map(
    answers.flatMap(({ data }) =>
      (data?.fixes ?? []).map((fix) => [
        fix.findingId,
        { ...fix, hasLater: (data?.laterVersionCount ?? 0) > 0 },
      ]),
    ),
  )
  return ({ id }) => byFinding.get(id)
}

/** Columns of what is kept as it is now only. */
const OF_NOW = new Set(['fixed', 'ours', 'epss', 'ssvc'])

interface RowsProps extends Omit<ListedProps, 'search'> {
  rows: readonly FindingRow[]
  total: ListTotal
  onEnd: () => void
}

function Rows({ version, asOf, onChange, view, asked, rows, total, onEnd }: RowsProps) {
  const { filter, sortColumn, ascending } = asked
  const selection = useSelection(rows.map(keyOf), JSON.stringify(filter))
  const workspaceId = useWorkspaceId()
  const select = selectColumn(selection, keyOf, ({ cveId }: VulnerabilityFinding) => cveId)
  const shown = pickShown(COLUMNS, view)
  const hasOwners = rows.some(({ owners }) => owners.length > 0)
  const columns = shown.filter(
    ({ id }) => (asOf === undefined || !OF_NOW.has(id)) && (id !== 'owner' || hasOwners),
  )
  return (
    <>
      {!selection.isEmpty && (
        <InPlaceOfPanelHead>
          <Selected version={version} filter={filter} selection={selection} total={total} />
        </InPlaceOfPanelHead>
      )}
      <DataTable
        label="Findings"
        columns={asOf === undefined ? [select, ...columns] : columns}
        isCompact={view.isCompact}
        cardLines={3}
        selection={asOf === undefined ? selection : undefined}
        rows={rows}
        keyOf={keyOf}
        totalCount={total.totalCount}
        sortedBy={sortColumn}
        isAscending={ascending}
        onSort={(sort) =>
          onChange(
            VERSION_FINDINGS.parse({ sort, order: sort === sortColumn && !ascending ? 'up' : '' }),
          )
        }
        onOpen={({ id }, go) =>
          go({
            to: '/w/$workspaceId/findings/$findingId',
            params: { workspaceId, findingId: id },
          })
        }
        onEnd={onEnd}
      />
    </>
  )
}

const keyOf = ({ id }: VulnerabilityFinding) => id

interface SelectedProps {
  version: FirmwareVersion
  filter: VersionFilter
  selection: Selection
  total: ListTotal
}

function Selected({ version, filter, selection, total }: SelectedProps) {
  const { isAll, keys } = selection
  const targets = isAll
    ? [{ filter: { ...filter, firmwareVersionIds: [version.id] } }]
    : [{ findingIds: [...keys] }]
  return (
    <SelectionBar selection={selection} total={total}>
      <BulkActs
        selection={selection}
        reaches={[{ text: `In ${version.name}`, targets }]}
        hasIgnored={filter.activeOnly !== true}
      />
    </SelectionBar>
  )
}

/** Active findings, as the counts say, unless the address asks for all. */
function filterOf(search: VersionSearch): VersionFilter {
  const { severity, disputed, q, package: packageName } = search
  return {
    ...(search.show !== 'all' && { activeOnly: true }),
    ...(packageName !== undefined && { components: [{ packageName }] }),
    ...(severity !== undefined && { severities: [severity] }),
    ...(search.exploited === '1' && { exploited: true }),
    ...(search.open === '1' && { assessments: ['NotAssessed', 'InTriage'], ignored: false }),
    ...(disputed !== undefined && { disputed: disputed === 'yes' }),
    ...(q !== undefined && filterByText(q)),
  }
}

function NoFindings({ version, search, asOf, onChange }: FindingsTabProps) {
  const { sbomCount } = version
  if (asOf !== undefined && VERSION_FINDINGS.listFilters(search).length === 0)
    return <NoneThen version={version} asOf={asOf} />
  if (sbomCount === 0)
    return (
      <Empty title="Not known without an SBOM">
        Drop the SBOM of {version.name} anywhere on this page. Until then nobody can say what is in
        it.
      </Empty>
    )
  if (VERSION_FINDINGS.listFilters(search).length > 0)
    return (
      <Empty
        title="Nothing matches"
        action={<DropFilters filters={VERSION_FINDINGS.listFilters(search)} onChange={onChange} />}
      >
        No finding of this version has all of these at once.
      </Empty>
    )
  if (search.show !== 'all')
    return (
      <Empty
        title="No active findings"
        action={<Button onClick={() => onChange({ show: 'all' })}>Show decided ones too</Button>}
      >
        Nothing is found in this version, or all of it was decided. What could not be looked up is
        under Components.
      </Empty>
    )
  return (
    <Empty title="No findings">
      No record of the loaded sources names a component of this version. What could not be looked up
      is under Components.
    </Empty>
  )
}

/** Nothing found then proves little: SBOMs and records may have come later. */
function NoneThen({
  version: { name, createdAt },
  asOf,
}: {
  version: FirmwareVersion
  asOf: string
}) {
  if (asOf < createdAt)
    return (
      <Empty title="Not there yet">
        {name} was created on {formatDateTime(createdAt)}: nothing is known of it before.
      </Empty>
    )
  return (
    <Empty title="No finding counted then">
      Either nothing was found, or it was decided, or no SBOM of it had been read by then. Which
      components could be looked up is not known for the past.
    </Empty>
  )
}
