/** With what a device proves who it is: the key that it sends, else the certificate of its connection. */
import type { X509Certificate } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { hashCertificate } from '../../formats/x509/certificate.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { readClientCertificate } from './client-certificate-service.ts'
import { createTriedKey, getKeyTries, type TriedKey } from '../../platform/key-tries.ts'
import type { DeviceDoors, DeviceName, DevicePrincipal } from '../devices/index.ts'

/**
 * Of a request. Refused certificates are counted by address, as refused keys are where requests arrive: each costs a query and a
 * signature.
 */
export async function authenticateRequest(
  ctx: Pick<AppContext, 'config' | 'memory'>,
  doors: Pick<DeviceDoors, 'authenticate'>,
  { request, deviceKey, ...name }: DeviceName & { request: FastifyRequest; deviceKey: string },
): Promise<DevicePrincipal> {
  if (request.headers.authorization !== undefined) return doors.authenticate({ ...name, deviceKey })
  const certificate = readClientCertificate(request, ctx.config.certificateProxies)
  if (!certificate) return doors.authenticate({ ...name, deviceKey })
  const tries = getKeyTries(ctx.memory)
  const tried = createTriedCertificate(certificate, { ...name, address: request.ip })
  const outcome = tries.begin(tried)
  if (outcome !== 'mayBeValid') throw REFUSALS[outcome]()
  try {
    const principal = await doors.authenticate({ ...name, certificate })
    tries.accept(tried)
    return principal
  } catch (error) {
    if (error instanceof AppError && error.kind === 'unauthorized') tries.refuse(tried)
    throw error
  }
}

export function createTriedCertificate(
  certificate: X509Certificate,
  { workspaceId, deviceId, address }: DeviceName & { address: string | undefined },
): TriedKey {
  const key = `certificate ${hashCertificate(certificate).toString('hex')}`
  return createTriedKey({ key, place: `${workspaceId}:${deviceId}` }, address)
}

const REFUSALS = {
  refused: () =>
    new AppError(
      'unauthorized',
      'device-certificate-refused',
      'The certificate of the device was refused a moment ago.',
    ),
  tooMany: () =>
    new AppError(
      'rateLimited',
      'too-many-unknown-keys',
      'Too many requests from this address had certificates that are not valid. Those that were accepted before still are.',
    ),
}
