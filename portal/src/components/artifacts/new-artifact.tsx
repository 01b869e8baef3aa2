import { TextInput } from '@mantine/core'
import type { FirmwareVersion, RoleArtifact, UnfinishedUpload } from '@plimsoll/api-client'
import { useState } from 'react'
import { formatBytes, formatCountOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { Button } from '../button.tsx'
import { FileDrop } from '../file-drop.tsx'
import { Form } from '../form.tsx'
import { Time } from '../time.tsx'
import { useForm } from '../use-form.ts'
import type { Upload } from '../uploads/uploads.ts'
import { describeRole } from './artifact-name.ts'
import { startArtifactUpload } from './artifact-upload.ts'
import css from './artifacts.module.css'
import { ChangeEffects } from './change-effects.tsx'
import type { UploadPlace } from './part-sending.ts'
import { useReadArtifactsAgain } from './queries.ts'
import { readRole, RoleFields, STATED_IMAGE } from './role-fields.tsx'

interface NewArtifactProps {
  version: FirmwareVersion
  /** All of the firmware. */
  versions: readonly Pick<FirmwareVersion, 'id' | 'name' | 'affectedDeviceCount'>[]
  artifacts: readonly RoleArtifact[]
  /** Only deltas may be added. */
  isDeployed: boolean
  unfinished: readonly UnfinishedUpload[]
  /** Those of this tab. */
  own: readonly Upload[]
}

/** Uploads a file of the version; says first what it takes the place of. */
export function NewArtifact(props: NewArtifactProps) {
  const { version, versions, artifacts, isDeployed, unfinished, own } = props
  const workspaceId = useWorkspaceId()
  const readAgain = useReadArtifactsAgain(version.id)
  const [file, setFile] = useState<File>()
  const first = { ...STATED_IMAGE, file: artifacts.length === 0 ? 'image' : 'delta', fileName: '' }
  const { values, change, field } = useForm(first, { mutationFn: () => Promise.resolve() })
  const [isSent, setSent] = useState(false)
  const { role, baseVersionId } = readRole(values)
  const base = versions.find(({ id }) => id === baseVersionId)
  const baseVersion = base?.name ?? null
  const place: UploadPlace = {
    workspaceId,
    versionId: version.id,
    role,
    baseVersionId,
    baseVersion,
  }
  const isIt = (one: Pick<RoleArtifact, 'role' | 'baseVersionId'>) =>
    one.role === role && one.baseVersionId === baseVersionId
  const present = artifacts.find(isIt)
  const isUnderWay = own.some(
    ({ target, state }) => target === describeRole(place) && state !== 'Done' && state !== 'Failed',
  )
  const found = findFaults({ role, baseVersionId, file, present, isUnderWay })
  const faults = isSent ? found : {}
  const choose = (chosen: File) => {
    setFile(chosen)
    change({ fileName: chosen.name })
  }
  const submit = () => {
    setSent(true)
    if (!file || Object.keys(found).length > 0) return
    const fileName = values.fileName.trim()
    startArtifactUpload(
      { place, file, fileName: fileName === '' ? file.name : fileName },
      () => void readAgain(),
    )
    setFile(undefined)
    setSent(false)
    change({ fileName: '' })
  }
  const fieldWithFault: typeof field = (name, read) => {
    const fault = faults[name]
    return {
      ...field(name, read),
      ...(fault !== undefined && { error: fault, 'aria-invalid': true }),
    }
  }
  return (
    <div className={css['within']}>
      <Form onSubmit={submit} label="Upload a file">
        <div className={css['row']}>
          <RoleFields
            form={{ values, field: fieldWithFault }}
            version={version}
            versions={versions}
            isDelta={isDeployed}
          />
        </div>
        <FileDrop label="The file that devices install" css={css} onFile={choose}>
          {file
            ? `${file.name}, ${formatBytes(file.size)}: drop or choose another`
            : 'Drop the file here, or choose it'}
        </FileDrop>
        {faults['chosen'] !== undefined && (
          <p className={css['fault']} role="alert">
            {faults['chosen']}
          </p>
        )}
        {file && <TextInput label="Name on devices" required {...field('fileName')} />}
        <div role="status" className={css['effects']}>
          {present ? (
            <Replacement versionId={version.id} present={present} />
          ) : (
            <Addition {...{ place, base, artifacts, isDeployed, file }} />
          )}
          {unfinished.filter(isIt).map(({ fileName, uploadId, receivedBytes }) => (
            <p key={uploadId}>
              An upload of {fileName} is not complete. Unless this is the same file, it takes its
              place, and the {formatBytes(receivedBytes)} that arrived are deleted.
            </p>
          ))}
        </div>
        <div>
          <Button type="submit">{present ? 'Replace file' : 'Upload file'}</Button>
        </div>
      </Form>
    </div>
  )
}

interface Given {
  role: string
  baseVersionId: string | null
  file: File | undefined
  present: RoleArtifact | undefined
  isUnderWay: boolean
}

/** As the service would say it, before a large file is sent in vain. */
function findFaults(given: Given): Partial<Record<string, string>> {
  const { role, baseVersionId, file, present, isUnderWay } = given
  if (!/^[a-z][a-z0-9-]{0,31}$/.test(role))
    return { role: 'Up to 32 lower-case letters, digits and hyphens; a letter first.' }
  if (role === 'delta' && !baseVersionId) return { baseVersionId: 'Choose the version.' }
  if (present?.isDeployed === true)
    return { chosen: 'A deployment offers this file: other bytes need another version.' }
  if (isUnderWay)
    return { chosen: 'An upload of it is under way: wait for its end, or discard it first.' }
  if (!file) return { chosen: 'Choose the file.' }
  return file.size === 0 ? { chosen: 'The file is empty: there is nothing to install.' } : {}
}

function Replacement({ versionId, present }: { versionId: string; present: RoleArtifact }) {
  const { fileName, sizeBytes, createdAt, createdByEmail, isDeployed } = present
  if (isDeployed)
    return (
      <p>
        {describeRole(present)} is there, and a deployment offers it: it stays as it is. Other bytes
        need another version.
      </p>
    )
  return (
    <>
      <p>
        {describeRole(present)} is there: {fileName}, {formatBytes(sizeBytes)}, uploaded{' '}
        <Time at={createdAt} />
        {createdByEmail !== null && ` by ${createdByEmail}`}. The new file takes its place, and the
        old one cannot be taken back.
      </p>
      <ChangeEffects
        versionId={versionId}
        artifact={present}
        then="are offered the new one when this version is deployed"
        addressed="give the new file from then on"
      />
    </>
  )
}

interface AdditionProps extends Pick<NewArtifactProps, 'artifacts' | 'isDeployed'> {
  place: UploadPlace
  base: NewArtifactProps['versions'][number] | undefined
  file: File | undefined
}

/** What is worth to know of a file that takes no place of another. */
function Addition({ place: { role }, base, artifacts, isDeployed, file }: AdditionProps) {
  const image = artifacts.find((one) => one.role === 'image')
  if (role === 'image') return null
  return (
    <>
      {role === 'delta' && base && (
        <p>
          Devices that report to run exactly {base.name} are offered it in place of the full image,
          when this version is deployed{isDeployed && ' the next time'}:{' '}
          {formatCountOf(base.affectedDeviceCount, 'device reports', 'devices report')} it now.
          {isDeployed && ' Deployments that were made already go on without it.'}
        </p>
      )}
      {!image && <p>A deployment needs the full image, too.</p>}
      {role === 'delta' && image && file && file.size >= image.sizeBytes && (
        <p>
          It is not smaller than the full image ({formatBytes(image.sizeBytes)}): devices would save
          nothing.
        </p>
      )}
    </>
  )
}
