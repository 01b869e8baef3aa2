import type { ReplacedSbom, Sbom } from '@plimsoll/api-client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { findBlockingError } from '../../../components/blocking-error.ts'
import { api } from '../../../api.ts'
import { Button } from '../../../components/button.tsx'
import { Law } from '../../../components/cases/law-mark.tsx'
import { ConfirmedButton } from '../../../components/confirm.tsx'
import { Panel } from '../../../components/panel.tsx'
import { Empty, Failure, Loading } from '../../../components/states.tsx'
import { Dot, Tag } from '../../../components/tag.tsx'
import { Time } from '../../../components/time.tsx'
import { UploadRows, useUploads } from '../../../components/uploads/upload-rows.tsx'
import { formatCountOf, formatBytes, formatCount } from '../../../format/counts.ts'
import { formatDate } from '../../../format/dates.ts'
import { useMay, useWorkspaceId } from '../../../session.ts'
import { describeFailure, isUnderWay, sbomsQuery } from '../../../workspace-queries.ts'
import { replacedSbomsQuery, versionRetentionQuery } from '../queries.ts'
import { downloadSbom } from '../exports.ts'
import { SbomGrades } from './sbom-grades.tsx'
import { SbomSigner } from './sbom-signer.tsx'
import css from './sboms-tab.module.css'

export function SbomsTab({ versionId }: { versionId: string }) {
  const workspaceId = useWorkspaceId()
  const query = useQuery(sbomsQuery(workspaceId, versionId))
  const uploads = useUploads(versionId, 'sbom')
  const { data, refetch } = query
  const error = findBlockingError(query)
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  return (
    <>
      <UploadRows uploads={uploads} />
      {data.sboms.length === 0 ? (
        <Empty title="No SBOM yet">
          Drop files anywhere on this page: SPDX (JSON, tag-value, JSON-LD, Yocto’s archive) or
          CycloneDX (JSON, XML), also compressed. Pipelines upload with{' '}
          <code>plimsoll sbom upload</code>.
        </Empty>
      ) : (
        data.sboms.map((sbom) => <SbomPanel key={sbom.id} sbom={sbom} versionId={versionId} />)
      )}
      <ReplacedSboms versionId={versionId} sboms={data.sboms} />
    </>
  )
}

function SbomPanel({ sbom, versionId }: { sbom: Sbom; versionId: string }) {
  const mayDelete = useMay('SBOMs: write')
  return (
    <Panel
      title={<code>{sbom.fileName}</code>}
      note={`${formatText(sbom)} · ${formatBytes(sbom.sizeBytes)}`}
      aside={
        <>
          <Time at={sbom.createdAt} />
          <DownloadButton sbom={sbom} />
          {mayDelete && (
            <DeleteButton
              sbom={sbom}
              versionId={versionId}
              what={`Its ${formatCountOf(sbom.componentCount, 'component')} leave this version. Findings that no other SBOM supports leave the lists and keep their history.`}
            />
          )}
        </>
      }
    >
      <div className={css['facts']}>
        <ParsingState sbom={sbom} />
        {sbom.parsingState === 'InProgress' && sbom.replaces !== null && (
          <span>{REPLACES[sbom.replaces]} once it is read</span>
        )}
        {sbom.parsingState === 'Succeeded' && (
          <span>{formatCountOf(sbom.componentCount, 'component')}</span>
        )}
        {sbom.notMatchedReasons.map(({ reason, count }) => (
          <span key={reason}>
            <Tag tone="warn">{count} not judged</Tag> {reason}
          </span>
        ))}
        {sbom.warnings.map((warning) => (
          <span key={warning}>
            <Tag tone="warn">warning</Tag> {warning}
          </span>
        ))}
        {sbom.parsingError !== null && <p className={css['fault']}>{sbom.parsingError}</p>}
        {sbom.failure && <p className={css['fault']}>{describeFailure(sbom)}</p>}
      </div>
      {sbom.parsingState === 'Succeeded' && (
        <>
          <div className={css['facts']}>
            <SbomSigner versionId={versionId} sbomId={sbom.id} />
          </div>
          <SbomGrades sbomId={sbom.id} />
        </>
      )}
    </Panel>
  )
}

const FORMATS: Record<NonNullable<Sbom['format']>, string> = {
  CycloneDxJson: 'CycloneDX (JSON)',
  CycloneDxXml: 'CycloneDX (XML)',
  Spdx2Json: 'SPDX (JSON)',
  Spdx2TagValue: 'SPDX (tag-value)',
  Spdx3JsonLd: 'SPDX (JSON-LD)',
  YoctoCveCheck: 'cve-check of Yocto',
  BuildrootShowInfo: 'show-info of Buildroot',
  BuildrootPkgStats: 'pkg-stats of Buildroot',
}

const REPLACES: Record<NonNullable<Sbom['replaces']>, string> = {
  serial: 'Replaces earlier uploads of the same document',
  file: 'Replaces earlier uploads of the same file name',
  all: 'Replaces all earlier uploads',
}

function formatText({ format, specVersion }: Pick<Sbom, 'format' | 'specVersion'>): string {
  if (format === null) return 'format not known'
  return [FORMATS[format], specVersion].filter((text) => text !== null).join(' ')
}

function ParsingState({ sbom }: { sbom: Sbom }) {
  if (sbom.parsingState === 'Failed') return <Dot tone="danger">Could not be read</Dot>
  if (sbom.parsingState === 'InProgress')
    return (
      <Dot tone="accent" isHollow>
        Being read…
      </Dot>
    )
  if (isUnderWay(sbom))
    return (
      <Dot tone="accent" isHollow>
        Read; looking for vulnerabilities…
      </Dot>
    )
  // Reasons of components that were not looked up stand below.
  const isWhole = sbom.notMatchedReasons.length === 0
  return <Dot tone={isWhole ? 'ok' : 'muted'}>Read and matched</Dot>
}

interface SbomProps {
  sbom: Pick<Sbom, 'id' | 'fileName'>
}

function DownloadButton({ sbom: { id } }: SbomProps) {
  const workspaceId = useWorkspaceId()
  const download = useMutation({ mutationFn: () => downloadSbom(workspaceId, id) })
  return (
    <Button size="small" isBusy={download.isPending} onClick={() => download.mutate()}>
      Download
    </Button>
  )
}

interface DeleteProps extends SbomProps {
  versionId: string
  what: string
}

/** What the law keeps cannot be deleted: said before anybody tries. */
function DeleteButton({ versionId, ...deleted }: DeleteProps) {
  const { data } = useQuery(versionRetentionQuery(useWorkspaceId(), versionId))
  const [kept] = data?.retained ?? []
  if (!kept) return <AskingDeleteButton {...deleted} />
  return (
    <span
      title={`${kept.firmware} ${kept.version} was rolled out and ${kept.isInLine ? 'is' : 'was'} of the product line ${kept.productLine.name}`}
    >
      <Law article="13(9), 13(13)" /> kept until <Time at={kept.until} as="date" />
    </span>
  )
}

function AskingDeleteButton({ sbom, what }: SbomProps & { what: string }) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: () =>
      api.delete('/workspaces/{workspaceId}/sboms/{sbomId}', {
        params: { workspaceId, sbomId: sbom.id },
      }),
    onSuccess: () => queryClient.invalidateQueries(),
  })
  return (
    <ConfirmedButton
      size="small"
      title={`Delete ${sbom.fileName}?`}
      verb="Delete SBOM"
      act={remove}
      what={what}
    >
      Delete…
    </ConfirmedButton>
  )
}

const FIRST_SHOWN = 10

/** What later uploads replaced: when, by what, and until when it is kept. */
function ReplacedSboms({ versionId, sboms }: { versionId: string; sboms: readonly Sbom[] }) {
  const workspaceId = useWorkspaceId()
  const { data } = useQuery(replacedSbomsQuery(workspaceId, versionId))
  const [isWhole, setIsWhole] = useState(false)
  if (!data || data.sboms.length === 0) return null
  const names = new Map([...sboms, ...data.sboms].map(({ id, fileName }) => [id, fileName]))
  const shown = isWhole ? data.sboms : data.sboms.slice(0, FIRST_SHOWN)
  return (
    <Panel title="Replaced" note="they count no more, and are deleted later" isFlush>
      <ul className={css['replaced']}>
        {shown.map((sbom) => (
          <ReplacedRow
            key={sbom.id}
            sbom={sbom}
            versionId={versionId}
            by={names.get(sbom.replacedById)}
          />
        ))}
      </ul>
      {shown.length < data.sboms.length && (
        <Button kind="quiet" onClick={() => setIsWhole(true)}>
          Show all {formatCount(data.sboms.length)}
        </Button>
      )}
    </Panel>
  )
}

interface ReplacedRowProps {
  sbom: ReplacedSbom
  versionId: string
  by: string | undefined
}

function ReplacedRow({ sbom, versionId, by }: ReplacedRowProps) {
  const mayDelete = useMay('SBOMs: write')
  const { fileName, componentCount, sizeBytes, createdAt, replacedAt, keptUntil } = sbom
  return (
    <li>
      <div>
        <code>{fileName}</code>
        <p className={css['note']}>
          {formatText(sbom)} · {formatCountOf(componentCount, 'component')} ·{' '}
          {formatBytes(sizeBytes)} · uploaded <Time at={createdAt} as="dateTime" />
        </p>
        <p className={css['note']}>
          Replaced <Time at={replacedAt} as="dateTime" /> by{' '}
          {by === undefined ? 'one that was deleted since' : <code>{by}</code>}, kept until{' '}
          <Time at={keptUntil} as="date" />
        </p>
      </div>
      <Link
        from="/w/$workspaceId/versions/$versionId"
        to="."
        search={{ asOf: new Date(Date.parse(replacedAt) - 1).toISOString() }}
      >
        Findings then
      </Link>
      <DownloadButton sbom={sbom} />
      {mayDelete && (
        <DeleteButton
          sbom={sbom}
          versionId={versionId}
          what={`It counts no more. Its file and its ${formatCountOf(componentCount, 'component')} are deleted now instead of on ${formatDate(keptUntil)}.`}
        />
      )}
    </li>
  )
}
