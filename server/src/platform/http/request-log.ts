/** One line of the log for each request. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Actor } from '../actor.ts'

/** What tells who asked. */
export interface RequestLog {
  /** The type and the id of the actor: a person or a key. Of a device the path tells the id. */
  actor: boolean
  address: boolean
}

/** undefined: the request was refused before that was known, or its route asks for nobody. */
export type FindActor = (request: FastifyRequest) => Pick<Actor, 'type' | 'id'> | undefined

export function installRequestLog(
  app: FastifyInstance,
  holds: RequestLog,
  findActor: FindActor,
): void {
  app.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { method, url, ip: address } = request
    // Left out of the log, as the query may hold the signature of a content link.
    const path = url.split('?')[0]
    const { type: actorType, id: actorId } = (holds.actor && findActor(request)) || {}
    const who = { ...(actorType && { actorType, actorId }), ...(holds.address && { address }) }
    const ms = Math.round(reply.elapsedTime)
    request.log.info({ method, path, status: reply.statusCode, ms, ...who }, 'request')
    done()
  })
}
