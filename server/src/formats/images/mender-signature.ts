/** The signature of an artifact of Mender, which covers its manifest. */
import { decodeBase64 } from '../base64.ts'
import { ImageFault, type SignatureFact } from './image-facts.ts'
import { findSigner, type LimitedKeys, tellNoSigner } from './key-tries.ts'
import {
  encodePair,
  isRsaSignature,
  isSignatureOf,
  type SignatureScheme,
} from './signature-schemes.ts'
import { TEST_KEYS } from './test-keys.ts'

const BASE = { keyId: null, keyFingerprint: null, certificates: [] } as const
const RSA: SignatureScheme = {
  name: 'RSA PKCS #1 v1.5 with SHA-256',
  keyType: 'rsa',
  hash: 'sha256',
}
const ECDSA: SignatureScheme = { name: 'ECDSA P-256', keyType: 'ec', hash: 'sha256' }

/** In Base64; of ECDSA both numbers beside each other. It names no key. */
export async function checkManifest(
  text: string,
  manifest: Buffer,
  keys: LimitedKeys,
): Promise<SignatureFact> {
  if (text.includes('BEGIN PGP SIGNATURE'))
    return {
      ...BASE,
      scheme: 'OpenPGP',
      outcome: 'NotSupported',
      detail:
        'An artifact of Mender with a signature of OpenPGP: recognised, not checked, because keys of OpenPGP are not read here.',
    }
  const signature = decodeBase64(text.trim())
  if (!signature) throw new ImageFault('The signature of the manifest is not in Base64.')
  const isPair = signature.length === 64
  const scheme = isPair ? ECDSA : RSA
  const given = isPair ? encodePair(signature) : signature
  const { signer, untriedCount } = await findSigner(
    [...keys.publicKeys, ...TEST_KEYS].filter(({ key }) =>
      isPair ? key.asymmetricKeyType === 'ec' : isRsaSignature(key, signature),
    ),
    {
      keys,
      bytes: manifest.length,
      isBy: ({ key }) => isSignatureOf({ key, scheme, signature: given }, manifest),
    },
  )
  const { name } = scheme
  return signer
    ? { ...BASE, scheme: name, outcome: 'Valid', keyFingerprint: signer.fingerprint, detail: null }
    : { ...BASE, scheme: name, ...tellNoSigner(untriedCount) }
}
