import { type ImageVerification, nameArtifactRole, nameImageFormat } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { Dot, type Tone } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { useMay, useWorkspaceId } from '../../session.ts'
import { imagesQuery } from '../../components/artifacts/queries.ts'
import css from './version-page.module.css'

/** Who signed the update files of a version, and what these state of themselves. */
export function VersionImages({ versionId }: { versionId: string }) {
  const mayRead = useMay('Firmware: read')
  const { data, error } = useQuery({
    ...imagesQuery(useWorkspaceId(), versionId),
    enabled: mayRead,
  })
  if (error && !data)
    return (
      <section className={css['images']} aria-label="Update files">
        <p>Update files</p>
        <Dot tone="warn">Who signed them could not be read</Dot>
      </section>
    )
  if (!data || data.verifications.length === 0) return null
  const title = data.verifications.length === 1 ? 'Update file' : 'Update files'
  return (
    <section className={css['images']} aria-label={title}>
      <p>{title}</p>
      {data.verifications.map((one) => (
        <Image key={nameArtifactRole(one)} image={one} />
      ))}
    </section>
  )
}

const STATES: Record<ImageVerification['state'], { tone: Tone; text: string }> = {
  Verified: { tone: 'ok', text: 'Signed by a trusted key' },
  Untrusted: { tone: 'danger', text: 'Signed by no trusted key' },
  NotSigned: { tone: 'danger', text: 'Not signed' },
  Broken: { tone: 'danger', text: 'Changed or damaged' },
  NotChecked: { tone: 'warn', text: 'Could not be checked' },
  FormatNotKnown: { tone: 'warn', text: 'Format not known, so not checked' },
  Checking: { tone: 'accent', text: 'Being checked' },
}

function Image({ image }: { image: ImageVerification }) {
  const { fileName, state, reason, testKey, isNamedVersion, statement, notes } = image
  const { tone, text } = STATES[state]
  // A file that is not verified does not become so by a new certificate.
  const endsAt =
    state === 'Verified'
      ? (image.signatures.find(({ trustedKey }) => trustedKey !== null)?.endsAt ?? null)
      : null
  return (
    <div>
      <code>{fileName}</code>
      {image.role !== 'image' && <span>{nameArtifactRole(image)}</span>}
      <Dot tone={tone} isHollow={state === 'Checking'}>
        {text}
      </Dot>
      <span>{reason}</span>
      {testKey !== null && <Dot tone="danger">Everybody can sign like this: {testKey}</Dot>}
      {isNamedVersion === false && (
        <Dot tone="danger">It states version {statement.version ?? ''}, not this one</Dot>
      )}
      {endsAt !== null && (
        <span>
          A certificate that it needs ends <Time at={endsAt} as="date" />
        </span>
      )}
      <span>{describeStated(image)}</span>
      {notes.map((note) => (
        <span key={note}>{note}</span>
      ))}
    </div>
  )
}

function describeStated({ format, variant, statement }: ImageVerification): string {
  const name = nameImageFormat({ format, variant })
  if (name === undefined) return ''
  const { version, compatible, hardware, securityCounter } = statement
  const parts = [
    version !== null && `version ${version}`,
    compatible !== null && `compatible ${compatible}`,
    hardware.length > 0 && `hardware ${hardware.join(', ')}`,
    securityCounter !== null && `security counter ${securityCounter}`,
  ].filter((one) => one !== false)
  return parts.length === 0 ? name : `${name}: ${parts.join(', ')}`
}
