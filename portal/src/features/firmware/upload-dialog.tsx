/** Asks, where a version has SBOMs already, whether files count beside them or in their place. Says before what would go. */
import { readDocumentName, type SbomReplacementPreview } from '@plimsoll/api-client'
import { Modal, Radio } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Form, FormActs, FormFault } from '../../components/form.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { type Replacement, replacementQuery } from './queries.ts'
import css from './version-page.module.css'

interface UploadDialogProps {
  versionId: string
  files: readonly File[]
  /** undefined: not known yet. */
  sbomCount: number | undefined
  onUpload: (replace: Replacement | undefined) => void
  onClose: () => void
}

const CHOICES: readonly { replace: Replacement; label: string; what: string }[] = [
  { replace: 'file', label: 'Replace those of the same file name', what: '' },
  {
    replace: 'serial',
    label: 'Replace earlier uploads of the same document',
    what: ' The serial number of CycloneDX or the document namespace of SPDX names it.',
  },
  { replace: 'all', label: 'Replace all SBOMs of this version', what: '' },
]

export default function UploadDialog({
  versionId,
  files,
  sbomCount,
  onUpload,
  onClose,
}: UploadDialogProps) {
  const [chosen, setChosen] = useState('')
  const replace = CHOICES.find((one) => one.replace === chosen)?.replace
  const previews = usePreviews(versionId, files)
  const going = replace === undefined ? 0 : previews.data?.[replace].sboms.length
  const verb = formatCountOf(files.length, 'file')
  return (
    <Modal opened onClose={onClose} title={`Upload ${verb}`}>
      <Form onSubmit={() => onUpload(replace)} label="Upload">
        <Radio.Group
          label={
            sbomCount === undefined
              ? 'The SBOMs of this version are counted…'
              : `This version has ${formatCountOf(sbomCount, 'SBOM')}`
          }
          value={chosen}
          onChange={setChosen}
        >
          <Radio
            value=""
            className={css['choice']}
            label="Keep all"
            description="Components of all SBOMs count together."
          />
          {CHOICES.map(({ replace: value, label, what }) => (
            <Radio
              key={value}
              {...{ value, label }}
              className={css['choice']}
              description={`${previews.data ? previewText(previews.data[value]) : 'Counting…'}${what}`}
            />
          ))}
        </Radio.Group>
        <p className={css['note']}>
          What is replaced stops counting when the new file is read, stays here for a while, and no
          decision is lost. A later version of the same CycloneDX document replaces earlier ones in
          any case.
        </p>
        <FormFault error={previews.error} said="What would go is not known." />
        <FormActs>
          <Button onClick={onClose}>Go back</Button>
          <Button type="submit" kind="primary" disabled={going === undefined}>
            {(going ?? 0) > 0
              ? `Upload ${verb}, replace ${formatCountOf(going ?? 0, 'SBOM')}`
              : `Upload ${verb}`}
          </Button>
        </FormActs>
      </Form>
    </Modal>
  )
}

const HEAD_BYTES = 256 * 1024

function usePreviews(versionId: string, files: readonly File[]) {
  const workspaceId = useWorkspaceId()
  const fileNames = files.map(({ name }) => name)
  const { data: documents } = useQuery({
    queryKey: [
      'document-names',
      fileNames,
      files.map(({ size, lastModified }) => [size, lastModified]),
    ],
    queryFn: async () => {
      const heads = await Promise.all(files.map((file) => file.slice(0, HEAD_BYTES).text()))
      return heads.flatMap((head) => readDocumentName(head) ?? [])
    },
    gcTime: 0,
  })
  return useQuery({
    ...replacementQuery(workspaceId, versionId, { fileNames, documents: documents ?? [] }),
    enabled: documents !== undefined,
  })
}

const MOST_NAMES = 3

function previewText({ sboms, remainingSbomCount }: SbomReplacementPreview): string {
  if (sboms.length === 0) return 'Replaces none now.'
  const components = sboms.reduce((sum, { componentCount }) => sum + componentCount, 0)
  const names = sboms.slice(0, MOST_NAMES).map(({ fileName }) => fileName)
  const more = sboms.length > MOST_NAMES ? ` and ${sboms.length - MOST_NAMES} more` : ''
  return `Replaces ${names.join(', ')}${more} with ${formatCountOf(components, 'component')}; ${remainingSbomCount === 0 ? 'no other stays' : formatCountOf(remainingSbomCount, 'SBOM stays', 'SBOMs stay')}.`
}
