/**
 * Keys whose private part everybody can download, named as what they are. MCUboot: `root-*.pem` of
 * https://github.com/mcu-tools/mcuboot at 2d4bacc3c15ebb6f91c28807fe6eb38b4ba98f77. RAUC: `test/openssl-ca` of
 * https://github.com/rauc/rauc at 3991031a43f244669889e81f5db18ce56e890b68. SWUpdate's repository holds no keys: its tests make
 * their own.
 */
import { type PublicKey, readSpki } from './public-keys.ts'

const MCUBOOT: Readonly<Record<string, string>> = {
  'root-rsa-2048.pem':
    'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA0QYIGhhELBjo+/33DaNPH7vuXvmq0ksY01rpbRiAGfnwnDQby/O8dNtC54x/EFN+Q14NVyxE0WcIDw27XO7ss5nf4E2EC6p3QWDtFShJpwG0PBDmaYwvX6xBTZ5cFN/y+M89Hm/nW7q0qciIfkc8lMN3Z1RLqo04NcpiYX634RXbd3PUvntyIYlpJPv4ZW5kPsgO14XVXErkUw0v/7f98xM5gz+jrtIPp2qd+f64zvoqvq+44PqCN1T0PuEr0NMIWBj2XkzIiIExrV+wghfyimknI/Orhz6TGh3+6PgaJGZZ+Byr3M5oG2ZkNez6DRGdr1w6p9FnxkfvsUssYuHRyQIDAQAB',
  'root-rsa-3072.pem':
    'MIIBojANBgkqhkiG9w0BAQEFAAOCAY8AMIIBigKCAYEAtCwOmFgQpKdYmXwB3QgqKDQz+JYaNCBdRchxJiXl0pbqe7EVqqaKYyKLLU6Bc79uFWiMGvTvKo+MIp5xV0veD35y03q4px1ErYcAg1z9cwVyRj+L+RAA2G7Mhe35Sdt4NoBJOHbdX1QE2ow0pysTJW/RFU+twuGl0k5XDH6cm7pOaLLgJQKqANO0zC945b5HZx/IbiJsXmG2ms3lqLp6gBMbFy6W7c+zm+Qc6K2n9jpRZl6ZjofuYCX4jb7OpKjKk2zXv9RzM41EhcxzMAicTbKqWmxve6u3s3zD++fKxPiab8u7W4LneugZ/S8RIvt/doxrlKQJT6Vqd1Hrp37ahwbu3L7R6hpAHRv/GrFRfBKw8/aDAZznDJm/rGhYcqSwWYXuhawqIvTPFQiAHw3QHqCglMj3+mXdUuiWNyMwVzbmnfQMSgV1H60ByrdtjEN0BgqB8wFi//f1X6/nKw74gbVl3QHZnwcXihjPI26IZZG1e9OwLa+TZmN0rFrmc947AgMBAAE=',
  'root-ec-p256.pem':
    'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEKstAPOj+7VukSZWhqR2u6Nu+GTfNFPsvJFc35ZU5iNmUudZa69fN1TCK1v5IskpqgQ7l8H2LaDTMOmr8U476wQ==',
  'root-ec-p384.pem':
    'MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEDHbKrnI6pejw1PEWtQLvd6Ebk2F4wAkmeztAnO5JheDJT+fyupds84JlFCz1DHMzTTLnm9NCzJVa5eL19G5F4O0gNVyvUjWB1Nyc454iPvs/IhDacAM3rajySP46YGml',
  'root-ed25519.pem': 'MCowBQYDK2VwAyEA1LMbpJo63T+CXRDKfzG1Cw3ofzfMxJ8aQDpcEyD/tOA=',
  'root-ed25519-2.pem': 'MCowBQYDK2VwAyEAw7zfMHZOH120DYkuDQ6rBJwwBk55qO2293kuRpom2nc=',
  'root-ed25519-unknown.pem': 'MCowBQYDK2VwAyEA0jnq1TWIsPWyQz5LK/J2GQuGh5FcsBMwzUDQxzZnEZU=',
}

/** By the SHA-256 of the SubjectPublicKeyInfo of the certificate. */
const RAUC: Readonly<Record<string, string>> = {
  '0034f8fe5adc3b0dfe642407275d144de2398c68cc9a86dd6703d7151116b44e': 'root/ca.cert.pem',
  '47d49d739b11fbfdab792a0736b7ef893f345fd49bf3550fc104e7cc2f32db11': 'rel/ca.cert.pem',
  '469e16e2dc1e09f85b7f71d5dfd0a4917ffead247b47e437bf76213a3849895b': 'dev/ca.cert.pem',
  '96b1b325b2d58341159e51c6c4265172430c9a3251bbef8a84276c6ec50d16b7': 'web/ca.cert.pem',
  '9467ab3108043d2d62d5ee58d62f867af27794299b461100ecd47b1b1d428e5a': 'rel/release-1.cert.pem',
  f5207b5090672f846fa6d0f8d35d7f4d20ab2be5c5485828f32f7a0539e548b6: 'rel/release-2018.cert.pem',
  '8dce10c952c3423d5a4e33b1bd2104293eec31ac384b5b9cbd3a10321e65ee8d': 'dev/autobuilder-1.cert.pem',
  bfda383519d81b8e2660913e5de1df5fa4914462b46974b35149d952ec63ede7: 'dev/autobuilder-2.cert.pem',
  '87b8b30dcb3bacd792dae0a5cbb5de9c899061cb0a95e6e9db4e468998540ba9':
    'dev/xku-codeSigning-openssl.cert.pem',
  '02e2d5f7ab36b26d88f9af1a543a1bc61c4b24c276d0ec5cc63fd9e39a5576a2':
    'dev/xku-codeSigning-rauc.cert.pem',
  '9f6214965237fca714871dded3de4f0422b809d544d22c82600b0955b955df67':
    'dev/xku-emailProtection.cert.pem',
  '7543da0c40a4623a30c971097a62ad7bd8ea8123bf5a3d5d559310dadad8c5a1': 'dir/a.cert.pem',
  '7a73f59d216cadd4137fc83d76eb8493a55e65027ddd2440e21f5626dd6cb869': 'dir/b.cert.pem',
}

const mcuboot = Object.entries(MCUBOOT).map(([file, spki]) => ({
  name: `MCUboot’s published ${file}`,
  publicKey: readSpki(Buffer.from(spki, 'base64')),
}))

/** Those that images name only by a hash. Images with certificates carry the key of their signer. */
export const TEST_KEYS: readonly PublicKey[] = mcuboot.map(({ publicKey }) => publicKey)

const NAMES: ReadonlyMap<string, string> = new Map([
  ...mcuboot.map(({ name, publicKey }) => [publicKey.fingerprint, name] as const),
  ...Object.entries(RAUC).map(([key, file]) => [key, `RAUC’s published ${file}`] as const),
])

/** undefined: it is no published test key that is known here. */
export const findTestKeyName = (fingerprint: string): string | undefined => NAMES.get(fingerprint)
