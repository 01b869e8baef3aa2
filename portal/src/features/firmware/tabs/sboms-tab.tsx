import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../../api.ts'
import { Button } from '../../../components/button.tsx'
import { ConfirmedButton } from '../../../components/confirm.tsx'
import { Panel } from '../../../components/panel.tsx'
import { Empty, Failure, Loading } from '../../../components/states.tsx'
import { Dot, Tag } from '../../../components/tag.tsx'
import { Time } from '../../../components/time.tsx'
import { countOf, formatBytes } from '../../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../../session.ts'
import { failureText, isUnderWay, type Sbom, sbomsQuery } from '../../../workspace-queries.ts'
import { Uploads } from '../upload.tsx'
import css from './sboms-tab.module.css'

export function SbomsTab({ versionId }: { versionId: string }) {
  const workspaceId = useWorkspaceId()
  const { data, error, refetch } = useQuery(sbomsQuery(workspaceId, versionId))
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  return (
    <>
      <Uploads versionId={versionId} />
      {data.sboms.length === 0 ? (
        <Empty title="No SBOM yet">
          Drop files anywhere on this page: SPDX (JSON, tag-value, JSON-LD, Yocto’s archive) or
          CycloneDX (JSON, XML), also compressed. Pipelines upload with{' '}
          <code>plimsoll sbom upload</code>.
        </Empty>
      ) : (
        data.sboms.map((sbom) => <SbomPanel key={sbom.id} sbom={sbom} />)
      )}
    </>
  )
}

function SbomPanel({ sbom }: { sbom: Sbom }) {
  const mayDelete = useMay('SBOMs: write')
  return (
    <Panel
      title={<code>{sbom.fileName}</code>}
      note={`${formatText(sbom)} · ${formatBytes(sbom.sizeBytes)}`}
      aside={
        <>
          <Time at={sbom.createdAt} />
          <DownloadButton sbom={sbom} />
          {mayDelete && <DeleteButton sbom={sbom} />}
        </>
      }
    >
      <div className={css['facts']}>
        <ParsingState sbom={sbom} />
        {sbom.parsingState === 'Succeeded' && (
          <span>{countOf(sbom.componentCount, 'component')}</span>
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
        {sbom.failure && <p className={css['fault']}>{failureText(sbom)}</p>}
      </div>
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

function formatText({ format, specVersion, parsingState }: Sbom): string {
  if (format === null) return parsingState === 'Failed' ? 'no known format' : 'format not known yet'
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
  return <Dot tone="ok">Read and matched</Dot>
}

function DownloadButton({ sbom }: { sbom: Sbom }) {
  const workspaceId = useWorkspaceId()
  const download = useMutation({
    mutationFn: () =>
      api.get('/workspaces/{workspaceId}/sboms/{sbomId}/content', {
        params: { workspaceId, sbomId: sbom.id },
      }),
    onSuccess: ({ contentSasLink }) => globalThis.location.assign(contentSasLink),
  })
  return (
    <Button size="small" isBusy={download.isPending} onClick={() => download.mutate()}>
      Download
    </Button>
  )
}

function DeleteButton({ sbom }: { sbom: Sbom }) {
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
      what={`Its ${countOf(sbom.componentCount, 'component')} leave this version. Findings that no other SBOM supports leave the lists and keep their history.`}
    >
      Delete…
    </ConfirmedButton>
  )
}
