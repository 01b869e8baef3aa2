/** Serves the built portal: its files as they are, and its one page at each address a person can open. */
import fastifyStatic from '@fastify/static'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { App } from '../platform/http/app.ts'
import { formatContentPolicy } from '../platform/http/security-headers.ts'

/** The addresses of the portal's pages (portal/src/routes.tsx). */
const PAGES = ['/', '/sign-in', '/link', '/forgotten-password', '/terminal', '/w/*']
const NONCE_BYTES = 16

export async function registerPortalRoutes(app: App, folder: string): Promise<void> {
  const page = readFileSync(join(folder, 'index.html'), 'utf8')
  for (const url of PAGES)
    app.get(url, { schema: { hide: true } }, (_request, reply) => {
      const nonce = randomBytes(NONCE_BYTES).toString('base64')
      return (
        reply
          .type('text/html; charset=utf-8')
          // The page names the files of its build, so an old one must not be kept.
          .header('cache-control', 'no-cache')
          .header(
            'content-security-policy',
            formatContentPolicy({
              'style-src': `'self' 'nonce-${nonce}'`,
              'connect-src': "'self'",
            }),
          )
          .serializer(String)
          .send(page.replace('name="csp-nonce" content=""', `name="csp-nonce" content="${nonce}"`))
      )
    })
  await app.register(fastifyStatic, {
    root: folder,
    wildcard: false,
    index: false,
    decorateReply: false,
    preCompressed: true,
    globIgnore: ['index.html', '**/*.br', '**/*.gz'],
    schemaHide: true,
    setHeaders: (reply, path) => {
      // Files under assets/ carry a hash of their content in their name.
      const isHashed = path.includes('/assets/')
      reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })
}
