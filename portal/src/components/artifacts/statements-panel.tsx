/** What others state about the files of a version: how they were built, and which SBOM describes them. */
import type { FirmwareVersion, ProvenanceStatement } from '@plimsoll/api-client'
import { useMutation, useQuery } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { formatBytes, formatCountOf } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { type CardColumn, CardTable } from '../card-table.tsx'
import { ConfirmedButton } from '../confirm.tsx'
import { ListPanel } from '../list-panel.tsx'
import { Dot, type Tone } from '../tag.tsx'
import { Time } from '../time.tsx'
import css from './artifacts.module.css'
import { AddStatement } from './add-statement.tsx'
import { chainQuery, STATEMENTS, statementsQuery, useReadArtifactsAgain } from './queries.ts'

export function StatementsPanel({ version }: { version: FirmwareVersion }) {
  const mayWrite = useMay('Firmware: write')
  const query = useQuery(statementsQuery(useWorkspaceId(), version.id))
  return (
    <ListPanel
      query={query}
      rows={query.data?.statements}
      loadingRows={2}
      title="Statements about the files"
      note="how they were built, and which SBOM describes them"
      aside={mayWrite && <AddStatement versionId={version.id} />}
      empty={
        <p className={css['none']}>
          There is none: nothing proves which SBOM belongs to which file.{' '}
          {mayWrite
            ? 'Add what the build wrote, or let it run '
            : 'Whoever may write firmware adds what the build wrote, with '}
          <code>plimsoll provenance add</code>.
        </p>
      }
    >
      {(statements) => (
        <CardTable
          label="Statements about the files"
          list="provenance-statements"
          csv={{
            name: `statements-${version.name}`,
            columns: [
              'id',
              'fileName',
              'kind',
              'predicateType',
              ['subjects', ({ subjects }) => subjects.map(({ name }) => name).join('; ')],
              'state',
              'reason',
              'keyName',
              'sha256',
              'createdByEmail',
              'createdAt',
            ],
          }}
          columns={listColumns(version.id, mayWrite)}
          rows={statements}
          keyOf={({ id }) => id}
        />
      )}
    </ListPanel>
  )
}

const KINDS: Record<ProvenanceStatement['kind'], string> = {
  Build: 'How it was built',
  Sbom: 'An SBOM',
  Other: 'Something else',
}

/** What one that no trusted key signed says is stated, and proves nothing. */
const STATES: Record<ProvenanceStatement['state'], { tone: Tone; text: string }> = {
  Verified: { tone: 'ok', text: 'Signed by a trusted key' },
  Untrusted: { tone: 'warn', text: 'Stated, signed by no trusted key' },
  NotChecked: { tone: 'warn', text: 'Stated, not all trusted keys were tried' },
  NotSigned: { tone: 'muted', text: 'Stated, not signed' },
  Broken: { tone: 'danger', text: 'Refused: its signature is not valid' },
}

const COLUMNS: readonly CardColumn<ProvenanceStatement>[] = [
  {
    title: 'Statement',
    isPlain: true,
    cell: ({ fileName, sizeBytes }) => (
      <>
        <strong className={css['name']}>{fileName}</strong>
        <p className={css['note']}>{formatBytes(sizeBytes)}</p>
      </>
    ),
  },
  {
    title: 'Says',
    cell: ({ kind, predicateType, holdsSbom, build }) => (
      <>
        {KINDS[kind]}
        {holdsSbom && kind !== 'Sbom' && ', with an SBOM inside'}
        {build !== null && (
          <p className={css['note']}>
            by {build.builderId ?? 'a builder that it does not name'},{' '}
            {build.materialCount === 0
              ? 'of materials that it does not name'
              : `from ${formatCountOf(build.materialCount, 'material')}`}
          </p>
        )}
        {kind === 'Other' && <p className={css['note']}>{predicateType}</p>}
      </>
    ),
  },
  { title: 'About', cell: (statement) => <Subjects {...statement} /> },
  {
    title: 'State',
    cell: ({ state, reason }) => (
      <>
        <Dot tone={STATES[state].tone} isHollow={state === 'NotSigned'}>
          {STATES[state].text}
        </Dot>
        <p className={css['note']}>{reason}</p>
      </>
    ),
  },
  {
    title: 'Added',
    cell: ({ createdAt, createdByEmail }) => (
      <>
        <Time at={createdAt} />
        {createdByEmail !== null && <p className={css['note']}>by {createdByEmail}</p>}
      </>
    ),
  },
]

const SHOWN_SUBJECTS = 3

function Subjects({ subjects, subjectCount }: ProvenanceStatement) {
  const shown = subjects.slice(0, SHOWN_SUBJECTS)
  const more = subjectCount - shown.length
  return (
    <>
      {shown.map(({ name, hashes: [hash] }) => (
        <p key={`${name} ${hash ?? ''}`} className={css['name']}>
          {name} <code title={hash}>{hash === undefined ? '' : `${hash.slice(0, 12)}…`}</code>
        </p>
      ))}
      {more > 0 && <p className={css['note']}>and {formatCountOf(more, 'more', 'more')}</p>}
    </>
  )
}

function listColumns(
  versionId: string,
  mayWrite: boolean,
): readonly CardColumn<ProvenanceStatement>[] {
  if (!mayWrite) return COLUMNS
  return [
    ...COLUMNS,
    {
      title: 'Acts',
      isActs: true,
      cell: (statement) => <DeleteStatement versionId={versionId} statement={statement} />,
    },
  ]
}

interface DeleteStatementProps {
  versionId: string
  statement: ProvenanceStatement
}

function DeleteStatement({ versionId, statement: { id, fileName } }: DeleteStatementProps) {
  const workspaceId = useWorkspaceId()
  const remove = useMutation({
    mutationFn: () =>
      api.delete(`${STATEMENTS}/{statementId}`, {
        params: { workspaceId, firmwareVersionId: versionId, statementId: id },
      }),
    onSuccess: useReadArtifactsAgain(versionId),
  })
  return (
    <ConfirmedButton
      size="small"
      label={`Delete ${fileName}`}
      title={`Delete ${fileName}?`}
      verb="Delete statement"
      act={remove}
      what={<LinksByIt versionId={versionId} fileName={fileName} />}
    >
      Delete…
    </ConfirmedButton>
  )
}

/** The links of the chain that it proves or states now. */
function LinksByIt({ versionId, fileName }: { versionId: string; fileName: string }) {
  const { data, error } = useQuery(chainQuery(useWorkspaceId(), versionId))
  const ofIt = data?.links.filter(
    ({ by }) => by === fileName || by?.startsWith(`${fileName}, signed with`) === true,
  )
  const rests = ofIt?.filter(({ state }) => state === 'Proved' || state === 'Stated')
  const differs = ofIt?.some(({ state }) => state === 'Differs') === true
  return (
    <>
      <p>{describeRests(rests?.length, error)}</p>
      {rests !== undefined && rests.length > 0 && (
        <ul className={css['named']}>
          {rests.map(({ from, to, state }) => (
            <li key={`${from ?? ''} ${to ?? ''}`}>
              {from} → {to}, {state === 'Proved' ? 'proved' : 'stated'}
            </li>
          ))}
        </ul>
      )}
      {differs && <p>That it differs from the files of this version is no longer told then.</p>}
      <p>The file is not kept: to have it back, add it again.</p>
    </>
  )
}

/** `count` undefined: not read yet, or never. */
function describeRests(count: number | undefined, error: unknown): string {
  if (count === undefined)
    return error
      ? 'Which links of the chain rest on it could not be read.'
      : 'Reading which links of the chain rest on it…'
  if (count === 0) return 'No link of the chain is proved or stated by it now.'
  const [rest, are] = count === 1 ? ['rests', 'is'] : ['rest', 'are']
  return `${formatCountOf(count, 'link')} of the chain ${rest} on it now, and ${are} drawn without it then:`
}
