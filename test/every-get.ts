/** Reads everything in a file over HTTP, to test what other tools or archives have stored. */
import type SQLite from 'better-sqlite3'
import type { LightMyRequestResponse } from 'fastify'
import type { buildApp } from '../src/app.ts'
import { ROUTED } from './kinds.ts'

type App = Awaited<ReturnType<typeof buildApp>>

const ofParent = (parent: 'project' | 'item'): string[] =>
  ROUTED.filter(({ of }) => of === parent).map(({ listPath }) => listPath)

/** What is read of each record, by table. */
const OF_RECORDS: Record<string, readonly string[]> = {
  teams: ['/api/teams/{id}'],
  members: ['/api/members/{id}'],
  projects: [
    '/api/projects/{id}',
    ...ofParent('project'),
    '/api/projects/{id}/kanban-items',
    '/api/projects/{id}/kanban-counts',
    '/api/projects/{id}/export.csv',
    ...['linear', 'github'].map((format) => `/api/projects/{id}/export.csv?format=${format}`),
    '/api/projects/{id}/export.json',
    '/api/projects/{id}/flow',
    '/api/projects/{id}/changes',
    '/api/changes?limit=1000&after={after}&projectId={id}',
    '/api/search?q=card&projectId={id}',
    '/api/calendar.ics?projectId={id}',
    '/api/projects/{id}?expand=people',
  ],
  people: ['/api/people/{id}'],
  imports: ['/api/imports/{id}'],
  kanban_items: [
    '/api/kanban-items/{id}',
    ...ofParent('item'),
    '/api/kanban-items/{id}/activity',
    '/api/kanban-items/{id}/changes',
    '/api/kanban-items/{id}?expand=people',
  ],
  ...Object.fromEntries(ROUTED.map(({ table, routes }) => [table, [`/api/${routes.collection}/{id}`]])),
}

const LISTS = [
  '/healthz',
  '/readyz',
  '/metrics',
  '/api/session',
  '/api/sessions',
  '/api/tokens',
  '/api/teams',
  '/api/members',
  '/api/people',
  '/api/projects',
  '/api/projects?view=summary',
  ...['sortOrder', '-updatedAt', 'name'].map((sort) => `/api/projects?limit=1&sort=${sort}`),
  '/api/kanban-items',
  ...['sortOrder', 'dueDate', '-priority', 'updatedAt'].map(
    (sort) => `/api/kanban-items?limit=1&sort=${sort}`,
  ),
  '/api/kanban-items?q=card&dismissed=all&label=none',
  '/api/calendar.ics',
  '/api/imports',
  '/api/personal-ideas',
  '/api/webhooks',
  '/api/trash',
  '/api/audit-log',
  '/api/search?q=card',
  '/api/export',
]

/** The maximum number of pages of a list. */
const PAGES = 20

/** A response to a request. */
interface Got {
  url: string
  statusCode: number
  body: string
}

/**
 * Reads everything that is readable.
 * @param client a connection to the file, for the ids of its records
 */
export async function* everyGet(
  app: App,
  client: SQLite.Database,
  headers: Record<string, string>,
): AsyncGenerator<Got> {
  const ofRecords = Object.entries(OF_RECORDS).flatMap(([table, urls]) =>
    client
      .prepare<[], unknown>(`select id from ${table} where typeof(id) = 'text'`)
      .pluck()
      .all()
      .flatMap((id) => urls.map((url) => url.replace('{id}', encodeURIComponent(String(id))))),
  )
  // Changes before that are no longer available.
  const after = client.prepare('select coalesce(min(seq) - 1, 0) from changes').pluck().get()
  for (const first of [...LISTS, '/api/changes?limit=1000&after={after}', ...ofRecords]) {
    let url: string | undefined = first.replace('{after}', String(after))
    for (let page = 0; url !== undefined && page < PAGES; page++) {
      const {
        statusCode,
        body,
        headers: answered,
      }: LightMyRequestResponse = await app.inject({ url, headers })
      yield { url, statusCode, body }
      const isJson = String(answered['content-type']).startsWith('application/json')
      if (statusCode === 200 && isJson) JSON.parse(body)
      url = /<([^>]+)>; rel="next"/.exec(String(answered.link ?? ''))?.[1]
    }
  }
}

/** The responses of {@link everyGet} other than 200, as `<status> <url>: <body>`. */
export async function failedGets(
  app: App,
  client: SQLite.Database,
  headers: Record<string, string>,
): Promise<string[]> {
  const failed: string[] = []
  for await (const { url, statusCode, body } of everyGet(app, client, headers)) {
    if (statusCode !== 200) failed.push(`${statusCode} ${url}: ${body.slice(0, 200)}`)
  }
  return failed
}
