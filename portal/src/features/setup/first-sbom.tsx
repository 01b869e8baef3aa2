import { TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { FileDrop } from '../../components/file-drop.tsx'
import { Form, FormFault } from '../../components/form.tsx'
import { MarkSentence, MarkSign } from '../../components/mark.tsx'
import { Dot } from '../../components/tag.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { createSlug } from '../../format/slug.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { describeFailure, sbomsQuery, versionQuery } from '../../workspace-queries.ts'
import { sendFirstSbom, useOverviewAfter } from './queries.ts'
import css from './setup-page.module.css'

export function FirstSbomStep() {
  const workspaceId = useWorkspaceId()
  const mayUpload = useMay('SBOMs: write')
  const [name, setName] = useState('')
  const [versionName, setVersionName] = useState('')
  const [file, setFile] = useState<File>()
  const send = useMutation({
    mutationFn: (given: File) => sendFirstSbom(workspaceId, { name, versionName, file: given }),
  })
  if (!mayUpload) return <p>An engineer, admin or owner uploads SBOMs.</p>
  return (
    <>
      <p>
        Which firmware, which version, and the SBOM that its build wrote: SPDX or CycloneDX of
        Zephyr, Yocto, Buildroot, ESP-IDF, Syft, Trivy or cdxgen, also compressed.
      </p>
      <Form label="A first SBOM" onSubmit={() => file && send.mutate(file)}>
        <div className={css['row']}>
          <TextInput
            label="Firmware"
            description={describeSlug(createSlug(name))}
            required
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextInput
            label="Version"
            description="As devices report it: 4.2.1"
            required
            value={versionName}
            onChange={(event) => setVersionName(event.currentTarget.value)}
          />
        </div>
        <FileDrop label="SBOM file" css={css} onFile={setFile}>
          {file ? <code>{file.name}</code> : 'Drop the SBOM here, or choose it'}
        </FileDrop>
        <FormFault error={send.error} />
        <div>
          <Button type="submit" kind="primary" isBusy={send.isPending} disabled={!file}>
            Upload
          </Button>
        </div>
      </Form>
      {send.data && <WhatItHolds versionId={send.data.id} />}
    </>
  )
}

function describeSlug(slug: string): string {
  return slug === ''
    ? 'As people call it: Harbour gateway'
    : `Devices and pipelines call it ${slug}`
}

/** From being read to its findings, as it goes. */
function WhatItHolds({ versionId }: { versionId: string }) {
  const workspaceId = useWorkspaceId()
  const { data } = useQuery(sbomsQuery(workspaceId, versionId))
  const sbom = data?.sboms[0]
  const isMatched = sbom !== undefined && sbom.vulnerabilitiesParsedAt !== null
  const { data: version } = useQuery({
    ...versionQuery(workspaceId, versionId),
    enabled: isMatched,
  })
  useOverviewAfter(isMatched, workspaceId)
  if (!sbom) return null
  if (sbom.parsingState === 'Failed')
    return (
      <p className={css['fault']} role="alert">
        It could not be read. {sbom.parsingError}
      </p>
    )
  return (
    <div className={css['result']} role="status">
      {!isMatched && (
        <Dot tone="accent" isHollow>
          {sbom.parsingState === 'Succeeded' ? 'Read; looking for vulnerabilities…' : 'Being read…'}
        </Dot>
      )}
      {sbom.failure && <p className={css['fault']}>{describeFailure(sbom)}</p>}
      {isMatched && version && (
        <>
          <p className={css['mark']}>
            <MarkSign state={version.mark.state} size={28} isBesideWord />
            <MarkSentence mark={version.mark} />
          </p>
          <p>
            {formatCountOf(sbom.componentCount, 'component')} read.{' '}
            <Link to="/w/$workspaceId/versions/$versionId" params={{ workspaceId, versionId }}>
              See its findings
            </Link>
          </p>
        </>
      )}
    </div>
  )
}
