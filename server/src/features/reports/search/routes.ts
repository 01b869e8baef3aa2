import { Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import {
  Exactly,
  Nullable,
  defineProblems,
  Shape,
  WorkspaceParams,
} from '../../../platform/http/schemas.ts'
import { search, SEARCH_KINDS } from './service.ts'

const SearchResults = Shape('SearchResults', {
  results: Type.Array(
    Shape('SearchResult', {
      kind: Type.Enum([...SEARCH_KINDS]),
      id: Type.String({
        description: 'Of the thing found; of a vulnerability its CVE id, of a component its name',
      }),
      title: Type.String({ examples: ['CVE-2024-3094'] }),
      subtitle: Nullable(Type.String()),
      firmwareId: Type.Optional(Type.String({ description: 'Of a firmware version' })),
      component: Type.Optional(
        Type.Object(
          { name: Type.String(), version: Nullable(Type.String()) },
          { description: 'Of a component' },
        ),
      ),
    }),
    {
      description: 'What is named so first, then what begins with the text, then what contains it',
    },
  ),
  vulnerability: Nullable(
    Type.Object({
      cveId: Type.String({ description: 'The id under which lists have it' }),
      isKnown: Type.Boolean({ description: 'Whether any source has a record of it' }),
      isHere: Type.Boolean({ description: 'Whether the workspace has a finding of it now' }),
    }),
    { description: 'null: the text is no id of a vulnerability' },
  ),
})

export function searchRoute(app: App): void {
  app.get(
    '/search',
    {
      config: { scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'searchWorkspace',
        summary: 'Search everything that a workspace has by name or id',
        description: 'Finds what the scopes allow to read. Upper and lower case are alike.',
        tags: ['Vulnerability findings'],
        params: WorkspaceParams,
        querystring: Exactly({
          q: Type.String({ minLength: 1, maxLength: 200, examples: ['CVE-2024-3094'] }),
          limit: Type.Optional(
            Type.String({ pattern: '^([1-9]|[1-4]\\d|50)$', description: '1 to 50; default 20' }),
          ),
        }),
        response: { 200: SearchResults, ...defineProblems(400, 404) },
      },
    },
    ({ params, query: { q, limit }, principal: { scopes }, reading }) =>
      search(reading, {
        workspaceId: params.workspaceId,
        scopes,
        q,
        ...(limit !== undefined && { limit: Number(limit) }),
      }),
  )
}
