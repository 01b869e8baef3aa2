/** Serves the documentation at /docs/guide, as `npm run docs` and a release build it. Everybody may read it. */
import fastifyStatic from '@fastify/static'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { App } from '../platform/http/app.ts'
import { sendPage } from '../platform/http/pages.ts'
import { renderHtml } from '../platform/html.ts'
import { PROGRAMS } from '../platform/programs.ts'

const FOLDER = resolve(import.meta.dirname, '../../../site')
const PREFIX = '/docs/guide/'

export async function registerGuideRoutes(app: App, folder = FOLDER): Promise<void> {
  const hidden = { schema: { hide: true } }
  app.get('/docs/guide', hidden, (_request, reply) => reply.redirect(PREFIX))
  if (!existsSync(join(folder, 'index.html'))) {
    app.get(`${PREFIX}*`, hidden, (_request, reply) => sendPage(reply.status(404), MISSING))
    return
  }
  // Messages name guides by their files.
  app.get(`${PREFIX}:name(^[\\w-]+).md`, hidden, (request, reply) =>
    reply.redirect(`${PREFIX}${(request.params as { name: string }).name}.html`),
  )
  await app.register(fastifyStatic, {
    root: folder,
    prefix: PREFIX,
    index: 'index.html',
    decorateReply: false,
    // Without compressed files, the plugin finds no index for who takes them.
    preCompressed: existsSync(join(folder, 'index.html.br')),
    schemaHide: true,
    cacheControl: false,
    // Its files keep their names in the next release.
    setHeaders: (reply) => {
      reply.header('cache-control', 'no-cache')
    },
  })
}

const MISSING =
  String(renderHtml`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>There are no guides here</title><style>body{font:1.1rem/1.5 system-ui;max-width:40rem;margin:3rem auto;padding:0 1rem}</style>
<h1>There are no guides here</h1><p>${PROGRAMS.installGuides}, then start the service again.</p><p>The API: <a href="/docs">/docs</a></p></html>`)
