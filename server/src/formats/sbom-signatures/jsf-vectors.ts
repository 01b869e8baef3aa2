/** Test vectors of the JSON Signature Format: `testdata/json-signatures` of https://github.com/cyberphone/openkeystore (Apache-2.0). */
const P256 = {
  kty: 'EC',
  crv: 'P-256',
  x: '6BKxpty8cI-exDzCkh-goU6dXq3MbcY0cd1LaAxiNrU',
  y: 'mCbcvUzm44j3Lt2b5BPyQloQ91tf2D2V-gzeUxWaUdg',
}
const ED25519 = { kty: 'OKP', crv: 'Ed25519', x: '_kms9bkrbpI1lPLoM2j2gKySS-k89TOuyvgC43dX-Mk' }
const RSA = {
  kty: 'RSA',
  n: 'ptKZyFPStvmOlb0WihOBhlHUr6wFDHC-tW7hJAudfTQ5mHZQpB8PoMz07udZA-dG8dhUIPkmXlp1TgREeYTHdhxhuf0y_GhbpZv5JPYHx3watO-HWO2qYkjRMEcrWhPMdaVkS_Xe_liaMcow4jYoWaFm8VobeYsyVD2bWWdyl4joTEETm1Z47RnnfR15kVhVudVrDzEFmM4nXV_6dmIg184RJE4httwBFxR8qZCQCwTiJmsoyJxfUR0Gs4ePKc5sB0NTkmFZc5klQSitd67RJn2ldhbqE7EpDl4XlIt-UyLJm1guCBltia8Agke7dXuhpB7hQ6LJwY4EjzthkJ8IPw',
  e: 'AQAB',
}
const JOE = { now: '2019-02-10T11:23:06Z', name: 'Joe', id: 2_200_063 }

export const JSF_VECTORS = {
  'p256#es256@jwk': {
    ...JOE,
    signature: {
      algorithm: 'ES256',
      publicKey: P256,
      value:
        'ybT1qz5zHNi4Ndc6y7Zhamuf51IqXkPkZwjH1XcC-KSuBiaQplTw6Jasf2MbCLg3CF7PAdnMO__WSLwvI5r2jA',
    },
  },
  'ed25519#ed25519@jwk': {
    ...JOE,
    signature: {
      algorithm: 'Ed25519',
      publicKey: ED25519,
      value:
        'UtN9-gMgTkfAdBJRX4gi0s6iKYiilO5EmXRD4KRSEnPKo5Og1ltbGYZecdJqKphCXkboIE_pecfszHEQXeqqDA',
    },
  },
  'r2048#rs256@jwk': {
    ...JOE,
    signature: {
      algorithm: 'RS256',
      publicKey: RSA,
      value:
        'IbTdSjKTYiFa-OP4m4wynLLHFxRgY0jwr7lonUIAG8zRpiX9d0ffR_ynGGjchtHH5CtXjfiKtWau0hqejmLqOHzx0I9xcDOLy42aOzBwITU7dElpsXSVYB76i5ekh2pD-swPJ_7E3aIfL1FPDiHjmbxWEjQseifSri4OX27iMqZVjfwIVSA-xKc-_C40r_eDwtB8tdJRaMDnI-Fsu1xf8X7mAiCjhqwRTqEWEySaXN-yGtLgi_ee0OemaBsY7fD2YnL9l9k4fq_A0JwoedRK26VLzoI1HfJ1uK-lrtud0_Ne7IXfZTeZDSKoPHY1LDVzVm0asVvkB10NrLRHO4hDYg',
    },
  },
  'r2048#ps256@jwk': {
    ...JOE,
    signature: {
      algorithm: 'PS256',
      publicKey: RSA,
      value:
        'SJnq3uAhfcDFv5MLCDhmfGE9_QQG5iDoF6urZp4uvOq-wGPDujImXHNs38XMPCQJVvDIf9Pdw1udXJAUCMkuWL0fBpMeBLriydIYNml4FOGJJ3506I3Hqk-zdjVwfBrguHshS1hniMzTqo8dzlPWxgPzU0KTDeg2xTuXOs2rbvENyqym-jHgn_iCMBQIWCwA5nQIxVmVVHNqF_wY5aUJcO1ySSWVsBk7P2_NpHNO_dOPaxdvvCvrbRne226edD4mOb6adtHoIdXVIhpsulkGEefBnqXQYvmjq_62rnCTZCfXTfM2ylp98NNgT_hyj1IN4yA5Wxwq86UP9of9yOxQ4w',
    },
  },
  'p256#es256,ed25519#ed25519@mult-jwk': {
    ...JOE,
    signature: {
      signers: [
        {
          algorithm: 'ES256',
          publicKey: P256,
          value:
            'RXflbzxeXyrf0dIeCYvPqCRc8DgKGLGnqTYqDypcrYLQxh7Ty7duvLbofNuZy6W7lYXnmmSrSHVLAiooPAPjrA',
        },
        {
          algorithm: 'Ed25519',
          publicKey: ED25519,
          value:
            'TrVM8gdEbvoTdmhZvB3bLqvmUio7OmpWhtpyZdCAhjvdE4uQGxCucBn338NQT3IlLB0UEuuDghcLj6Tna27QBg',
        },
      ],
    },
  },
  'p256#es256,ed25519#ed25519@chai-jwk': {
    ...JOE,
    signature: {
      chain: [
        {
          algorithm: 'ES256',
          publicKey: P256,
          value:
            'vfYq18EaFN2YLEdT8hfTIYwKYnLxS1h9kaCdI4FZEqZFbdIYDP6acauTYyEm7N4kvYmtyzGG-Y7U56W-jcOVGg',
        },
        {
          algorithm: 'Ed25519',
          publicKey: ED25519,
          value:
            'DcW9Wd6XuvNbE5BoImpDyMBOzkge0mL-uGJupzrJT3X0nq8GYRv5PcmXzaXY8fENJVcyEJwR4sUMv8W0lPXgAg',
        },
      ],
    },
  },
}

/** They leave out `myUnsignedData`, which is another finding than that of the others. */
export const EXCLUDING_VECTORS = {
  'p256#es256@excl-jwk': {
    mySignedData: 'something',
    myUnsignedData: 'something else',
    signature: {
      algorithm: 'ES256',
      publicKey: P256,
      excludes: ['myUnsignedData'],
      value:
        'EWkjHQTGBptNmhCsRw2wHqX64XpWS_4n4ba3DJ8HisvWl4eZYHsx6QCe7NIrwYHJOB6Tr-yOqN3G7oH9zH27jQ',
    },
  },
}
