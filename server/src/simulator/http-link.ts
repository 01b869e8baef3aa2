/** A device at the HTTP door: it asks at intervals and whenever it has something to report. */
import { setTimeout as delay } from 'node:timers/promises'
import { encodeCbor } from '../formats/device-messages/cbor.ts'
import { varyAround } from './chance.ts'
import { checkConfig, checkKey, checkUpdate, parseDown } from './down-messages.ts'
import type { Link, LinkSetup } from './link.ts'
import { retryUntilDone, RequestRefused } from './retrying.ts'

export function openHttpLink(setup: LinkSetup): Link {
  const { options, deviceId } = setup
  const off = new AbortController()
  const signal = AbortSignal.any([setup.signal, off.signal])
  let last: Promise<unknown> = Promise.resolve()
  // One request at a time, as real devices do, so that answers arrive in order.
  const sync = (body: object) => {
    const next = last.then(() => exchange(setup, body, signal))
    last = next.catch(() => undefined)
    return next
  }
  const polling = poll(() => sync({}))
  async function poll(ask: () => Promise<void>): Promise<void> {
    for (let turn = 0; !signal.aborted; turn += 1) {
      const ms = varyAround(options.pollSeconds * 1_000, options.seed, deviceId, 'poll', turn)
      await delay(ms, undefined, { signal }).catch(() => undefined)
      if (!signal.aborted) await ask().catch(setup.onTrouble)
    }
  }
  return {
    send: async (kind, message) => {
      await sync({ [kind]: message })
    },
    // Each request shows the newest key.
    reconnect: () => undefined,
    close: async () => {
      off.abort()
      await polling
      setup.onConnected(false)
    },
  }
}

async function exchange(setup: LinkSetup, body: object, signal: AbortSignal): Promise<void> {
  const { url, workspaceId, encoding } = setup.options
  const { keys } = setup
  const isCbor = encoding === 'cbor'
  const response = await retryUntilDone(signal, async () => {
    const deviceKey = keys.current
    const answer = await fetch(`${url}/device/v1/${workspaceId}/${setup.deviceId}/sync`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${deviceKey}`,
        'content-type': isCbor ? 'application/cbor' : 'application/json',
      },
      body: isCbor ? new Uint8Array(encodeCbor(body)) : JSON.stringify(body),
      signal,
    })
    const bytes = new Uint8Array(await answer.arrayBuffer())
    // A fetched key that is not valid gives way to the present one, with the next request.
    if (answer.status === 401 && keys.refuse(deviceKey))
      throw new TypeError('the next key is refused')
    if (!answer.ok) throw new RequestRefused(answer, Buffer.from(bytes).toString())
    if (keys.accept(deviceKey)) setup.onKeyReplaced()
    return bytes
  })
  if (response === undefined) return
  setup.onConnected(true)
  const said = parseDown(response)
  if (typeof said !== 'object' || said === null) throw new Error('the sync answer is not an object')
  if ('config' in said && said.config !== null) setup.onConfig(checkConfig(said.config))
  if ('update' in said && said.update !== null) setup.onUpdate(checkUpdate(said.update))
  if ('key' in said && said.key !== null) setup.onKey(checkKey(said.key))
}
