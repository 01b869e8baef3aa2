/**
 * The certificate with which a client proved who it is: to this service, which ended TLS itself, or to a proxy, which passes it on
 * in a header. Nobody has checked yet who issued it.
 */
import type { X509Certificate } from 'node:crypto'
import { BlockList, isIPv6 } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { FastifyRequest } from 'fastify'
import { MalformedCertificate } from '../../formats/x509/certificate.ts'
import { parseCertificateHeader } from '../../formats/x509/forwarded-certificate.ts'
import type { CertificateProxies } from '../../config/http-settings.ts'
import { AppError } from '../../platform/errors.ts'

/** undefined: the client showed none. Throws when the header of a proxy holds something else. */
export function readClientCertificate(
  { raw: { socket, rawHeaders }, headers }: Pick<FastifyRequest, 'raw' | 'headers'>,
  proxies: CertificateProxies | undefined,
): X509Certificate | undefined {
  // What a proxy shows of itself is not the device's.
  if (proxies && isProxy(proxies, socket.remoteAddress)) {
    refuseTwice(rawHeaders, proxies.header)
    return readHeader(headers[proxies.header], proxies.header)
  }
  return socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined
}

const lists = new WeakMap<CertificateProxies, BlockList>()

function isProxy(proxies: CertificateProxies, address: string | undefined): boolean {
  if (address === undefined) return false
  const known = lists.get(proxies) ?? createList(proxies.addresses)
  lists.set(proxies, known)
  return known.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

function createList(addresses: readonly string[]): BlockList {
  const list = new BlockList()
  for (const text of addresses) {
    const [address = '', bits] = text.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return list
}

/** A proxy that adds its header to that of the client, instead of setting it, would let the client choose. */
function refuseTwice(rawHeaders: readonly string[], header: string): void {
  const names = rawHeaders.filter((_, index) => index % 2 === 0)
  if (names.filter((name) => name.toLowerCase() === header).length > 1)
    throw new AppError(
      'invalid',
      'client-certificate-malformed',
      `The request has the header ${header} twice: the proxy has to set it, not to add it.`,
    )
}

function readHeader(
  value: string | string[] | undefined,
  header: string,
): X509Certificate | undefined {
  // Proxies send an empty header, or a dash, where the client showed none.
  if (value === undefined || value === '' || value === '-') return undefined
  try {
    return parseCertificateHeader(String(value))
  } catch (error) {
    if (!(error instanceof MalformedCertificate)) throw error
    throw new AppError(
      'invalid',
      'client-certificate-malformed',
      `The header ${header} of the proxy holds no certificate: ${error.message}.`,
    )
  }
}
