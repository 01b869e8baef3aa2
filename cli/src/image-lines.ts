/** What is told of an image, whether the service has checked it or this machine. */
import {
  type ImageVerification,
  nameArtifactRole,
  nameImageFormat,
} from '../../api-client/src/index.ts'

type ToldImage = Omit<ImageVerification, 'sha256' | 'examinedAt'>

export function describeImage({
  role,
  baseVersion,
  fileName,
  state,
  reason,
  format,
  variant,
  statement,
  isNamedVersion,
  testKey,
  notes,
}: Omit<ToldImage, 'signatures'>): string[] {
  const { version, compatible, hardware, securityCounter } = statement
  const name = nameImageFormat({ format, variant })
  const stated = [
    version !== null && `version ${version}`,
    compatible !== null && `compatible ${compatible}`,
    hardware.length > 0 && `hardware ${hardware.join(', ')}`,
    securityCounter !== null && `security counter ${securityCounter}`,
  ].filter((one) => one !== false)
  return [
    `${role === 'image' ? fileName : `${fileName} (${nameArtifactRole({ role, baseVersion })})`}: ${state}. ${reason}`,
    ...(name === undefined
      ? []
      : [`  ${name}: ${stated.join(', ') || 'states nothing that is read here'}`]),
    ...(testKey === null ? [] : [`  Everybody can sign like this: ${testKey}.`]),
    ...(isNamedVersion === false ? ['  It states another version than it was uploaded as.'] : []),
    ...notes.map((one) => `  ${one}`),
  ]
}
