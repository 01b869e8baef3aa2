/**
 * Devices that prove who they are by a certificate. The client names its workspace and its id; the certificate has to be issued by
 * an authority of that workspace, for that id. No other workspace's authorities are looked at.
 */
import { X509Certificate } from 'node:crypto'
import { shortenText } from '../../formats/shorten.ts'
import {
  describeSubject,
  findDeviceFault,
  findTimeFault,
  hashCertificate,
  isIssuedBy,
  listCommonNames,
  MOST_CERTIFICATE_BYTES,
  readDeviceId,
  findSerial,
} from '../../formats/x509/certificate.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import { isUuid } from '../../platform/ids.ts'
import {
  type CertificateCredentials,
  type DeviceName,
  type DevicePrincipal,
  isDeviceId,
  recordCertificate,
  recordKeyUse,
  refuseDeviceId,
  registerDevice,
} from '../devices/index.ts'
import { nameProof } from './proof.ts'
import {
  findCertificate,
  type IssuerOfDevices,
  type KnownCertificate,
  listIssuersOfDevices,
} from './certificate-store.ts'

/**
 * Throws as `authenticateByKey` does; `device-certificate-refused` says why, as whoever asks has the certificate's private key. A
 * certificate that was seen is found by its hash: its signature was verified then.
 */
export async function authenticateByCertificate(
  ctx: AppContext,
  { workspaceId: named, deviceId, certificate }: CertificateCredentials,
): Promise<DevicePrincipal> {
  const workspaceId = named.toLowerCase()
  if (!isUuid(workspaceId)) throw refuseCertificate(NOT_ISSUED)
  if (!isDeviceId(deviceId)) throw refuseDeviceId(deviceId)
  const asked = { workspaceId, deviceId, keyHash: hashCertificate(certificate) }
  const known =
    (await findCertificate(ctx.pool, asked)) ?? (await recordFirst(ctx, asked, certificate))
  refuseUnlessInForce(ctx, { deviceId, certificate, known })
  if (!known.is_device_there) await register(ctx, { workspaceId, deviceId, known })
  const { id: keyId, last_used_at: lastUsedAt } = known
  await recordKeyUse(ctx, { workspaceId, keyId, lastUsedAt })
  const validUntil = findEnd(certificate, known)
  return { workspaceId, deviceId, keyId, isFleetKey: false, isNext: false, validUntil }
}

const NOT_ISSUED = 'no authority that the workspace trusts issued it'

function refuseCertificate(why: string): AppError {
  return new AppError(
    'unauthorized',
    'device-certificate-refused',
    `The certificate of the device is refused: ${why}.`,
  )
}

/** Verifies a certificate that was not seen yet, and keeps it. Nothing is written about one that is refused. */
async function recordFirst(
  ctx: AppContext,
  { workspaceId, deviceId, keyHash }: DeviceName & { keyHash: Buffer },
  certificate: X509Certificate,
): Promise<KnownCertificate> {
  if (certificate.raw.length > MOST_CERTIFICATE_BYTES)
    throw refuseCertificate(`it has more than ${MOST_CERTIFICATE_BYTES / 1024} KiB`)
  const fault = checkParts(() => findDeviceFault(certificate, ctx.now()))
  if (fault !== undefined) throw refuseCertificate(fault)
  const serial = checkParts(() => findSerial(certificate))
  const issuers = await listIssuersOfDevices(ctx.db, { workspaceId, deviceId, serial })
  const issuer = findIssuer(certificate, issuers)
  refuseOthersId(workspaceId, deviceId, { certificate, issuer })
  if (issuer.isRevoked) throw refuseCertificate('it was revoked')
  if (!issuer.isDeviceThere && !issuer.deviceAutoRegistration) throw notFound('device', deviceId)
  const seen = { workspaceId, deviceId, keyHash, issuerId: issuer.id, serial }
  const name = shortenText(describeSubject(certificate), 200)
  await recordCertificate(ctx, { ...seen, name, expiresAt: certificate.validToDate })
  const known = await findCertificate(ctx.pool, { workspaceId, deviceId, keyHash })
  // The issuer was removed in between.
  if (!known) throw refuseCertificate(NOT_ISSUED)
  return known
}

function findIssuer(
  certificate: X509Certificate,
  issuers: readonly IssuerOfDevices[],
): IssuerOfDevices {
  const issuer = issuers.find((one) =>
    isIssuedBy(certificate, new X509Certificate(one.certificate)),
  )
  if (!issuer) throw refuseCertificate(NOT_ISSUED)
  return issuer
}

function refuseOthersId(
  workspaceId: string,
  deviceId: string,
  { certificate, issuer }: { certificate: X509Certificate; issuer: IssuerOfDevices },
): void {
  const said = checkParts(() =>
    listCommonNames(certificate).includes(nameProof(workspaceId))
      ? { fault: 'it proves the possession of an authority, and is of no device' }
      : readDeviceId(certificate, issuer),
  )
  if ('fault' in said) throw refuseCertificate(said.fault)
  if (said.deviceId !== deviceId)
    throw refuseCertificate(`it is that of ${JSON.stringify(shortenText(said.deviceId, 200))}`)
}

/** A certificate of a client may have any bytes in its extensions. */
function checkParts<Result>(check: () => Result): Result {
  try {
    return check()
  } catch (error) {
    if (error instanceof AppError) throw error
    throw refuseCertificate('it has a part that cannot be read')
  }
}

function refuseUnlessInForce(
  ctx: Pick<AppContext, 'now'>,
  seen: { deviceId: string; certificate: X509Certificate; known: KnownCertificate },
): void {
  const { deviceId, certificate, known } = seen
  const now = ctx.now()
  if (known.revoked_at || known.is_revoked) throw refuseCertificate('it was revoked')
  if (known.device_id !== deviceId) throw refuseCertificate('it is that of another device')
  const fault = findTimeFault(certificate, now)
  if (fault !== undefined) throw refuseCertificate(fault)
  if (now >= known.issuer_not_after)
    throw refuseCertificate(
      `the certificate of its issuer ended at ${known.issuer_not_after.toISOString()}`,
    )
  if (known.refused_from && now >= known.refused_from)
    throw refuseCertificate(
      `the revocation list of its issuer ended at ${known.refused_from.toISOString()}, so nobody knows whether it was revoked since`,
    )
}

async function register(
  ctx: AppContext,
  { workspaceId, deviceId, known }: DeviceName & { known: KnownCertificate },
): Promise<void> {
  if (!known.device_auto_registration) throw notFound('device', deviceId)
  await registerDevice(ctx, { workspaceId, deviceId, keyId: known.issuer_id })
}

function findEnd(
  { validToDate }: X509Certificate,
  { issuer_not_after: ofIssuer, refused_from: ofList }: KnownCertificate,
): Date {
  const end = validToDate < ofIssuer ? validToDate : ofIssuer
  return ofList && ofList < end ? ofList : end
}
