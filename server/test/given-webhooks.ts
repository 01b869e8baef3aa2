/** Webhooks, and a receiver that follows only their documentation. */
import { webcrypto } from 'node:crypto'
import type { Client } from './given.ts'
import type { WebhookRequest } from './webhook-server.ts'

export interface ShownWebhook {
  id: string
  name: string
  url: string
  state: string
  alertRuleCount: number
  createdAt: string
  updatedAt: string
  formerSecretUntil: string | null
  lastDeliveredAt: string | null
  lastAnswer: string | null
  lastAnswerAt: string | null
  failingSince: string | null
}

export async function givenWebhook(
  client: Client,
  url: string,
): Promise<ShownWebhook & { secret: string }> {
  const response = await client.post('/webhooks', { name: 'Chat', url })
  if (response.statusCode !== 201) throw new Error(response.body)
  return response.json()
}

/** Whether one of the signatures was made with the secret. */
export async function isSignedWith(request: WebhookRequest, secret: string): Promise<boolean> {
  const bytes = Uint8Array.from(atob(secret.slice('whsec_'.length)), (one) => one.charCodeAt(0))
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await webcrypto.subtle.importKey('raw', bytes, algorithm, false, ['verify'])
  const { headers, body } = request
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
  for (const signature of String(headers['webhook-signature']).split(' ')) {
    const [version, text = ''] = signature.split(',')
    const claimed = Uint8Array.from(atob(text), (one) => one.charCodeAt(0))
    const content = new TextEncoder().encode(signed)
    if (version === 'v1' && (await webcrypto.subtle.verify('HMAC', key, claimed, content)))
      return true
  }
  return false
}
