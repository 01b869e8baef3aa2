/** Gives credentials as AWS does: to containers, to machines (IMDSv2 alone) and for a web identity (STS). */
import { createServer } from 'node:http'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { closeAtEndOfFile } from './end-of-file.ts'
import { freePort } from './service-process.ts'

export interface GivenCredentials {
  accessKeyId: string
  secretAccessKey: string
  sessionToken: string
}

const CONTAINER_TOKEN = 'container-token'
const METADATA_TOKEN = 'metadata-token'
const IDENTITY = 'web-identity-token'
const ROLE = 'arn:aws:iam::123456789012:role/plimsoll'
const FOLDER = '/latest/meta-data/iam/security-credentials/'

/** The SDK renews what ends within this time. */
const RENEWED_BEFORE_MS = 300_000

export async function startCredentialServer(give: () => GivenCredentials, cachedMs = 60_000) {
  let given = 0
  const answer = () => {
    given += 1
    const { accessKeyId, secretAccessKey, sessionToken } = give()
    const Expiration = new Date(Date.now() + RENEWED_BEFORE_MS + cachedMs).toISOString()
    return {
      json: JSON.stringify({
        Code: 'Success',
        AccessKeyId: accessKeyId,
        SecretAccessKey: secretAccessKey,
        Token: sessionToken,
        Expiration,
      }),
      xml: `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult>
        <Credentials><AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${secretAccessKey}</SecretAccessKey>
        <SessionToken>${sessionToken}</SessionToken><Expiration>${Expiration}</Expiration></Credentials>
        </AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`,
    }
  }
  const server = createServer(async (request, response) => {
    const { method, url = '', headers } = request
    const body = new URLSearchParams(await text(request))
    const ofMachine = headers['x-aws-ec2-metadata-token'] === METADATA_TOKEN
    if (url === '/container' && headers.authorization === CONTAINER_TOKEN)
      response.end(answer().json)
    else if (method === 'PUT' && url === '/latest/api/token') response.end(METADATA_TOKEN)
    else if (ofMachine && url === FOLDER) response.end('plimsoll')
    else if (ofMachine && url === `${FOLDER}plimsoll`) response.end(answer().json)
    else if (body.get('WebIdentityToken') === IDENTITY && body.get('RoleArn') === ROLE)
      response.setHeader('content-type', 'text/xml').end(answer().xml)
    else response.writeHead(403).end()
  })
  const port = await freePort()
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
  closeAtEndOfFile(async () => {
    await server[Symbol.asyncDispose]()
  })
  const url = `http://127.0.0.1:${port}`
  const identity = join(mkdtempSync(join(tmpdir(), 'plimsoll-identity-')), 'token')
  writeFileSync(identity, IDENTITY)
  return {
    countGiven: () => given,
    /** The environment in which each of them is asked. */
    environments: {
      container: {
        AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/container`,
        AWS_CONTAINER_AUTHORIZATION_TOKEN: CONTAINER_TOKEN,
      },
      machine: { AWS_EC2_METADATA_SERVICE_ENDPOINT: url },
      'web identity': {
        AWS_WEB_IDENTITY_TOKEN_FILE: identity,
        AWS_ROLE_ARN: ROLE,
        AWS_ENDPOINT_URL_STS: url,
      },
    },
  }
}
