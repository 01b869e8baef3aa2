/** Chooses the encoding of a request body and of its answer: JSON or CBOR. */
import type { WireFormat } from '../../formats/device-messages/decode.ts'

/** undefined: the first byte of the body decides. */
export function readStatedFormat(contentType: string | undefined): WireFormat | undefined {
  const [type = ''] = (contentType ?? '').split(';')
  return encodingOfType(type)
}

/** The accepted encoding with the higher quality (RFC 9110, section 12.5.1); on a tie, that of the request. */
export function answerEncoding(accept: string | undefined, asked: WireFormat): WireFormat {
  const [json, cbor] = [readQuality(accept, 'json'), readQuality(accept, 'cbor')]
  if (json === cbor) return asked
  return json > cbor ? 'json' : 'cbor'
}

function readQuality(accept: string | undefined, encoding: WireFormat): number {
  for (const range of (accept ?? '').split(',')) {
    const [type = '', ...parameters] = range.split(';')
    if (encodingOfType(type) !== encoding) continue
    const [, quality] = /^\s*q\s*=\s*([01](?:\.\d*)?)\s*$/i.exec(parameters.join(';')) ?? []
    return quality === undefined ? 1 : Number(quality)
  }
  return 0
}

function encodingOfType(type: string): WireFormat | undefined {
  switch (type.trim().toLowerCase()) {
    case 'application/json':
      return 'json'
    case 'application/cbor':
      return 'cbor'
    default:
      return undefined
  }
}
