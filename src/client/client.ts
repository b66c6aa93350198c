/**
 * `phaseboard/client`: the API for programs in browsers and Node. It imports nothing of the service but the
 * types generated from its OpenAPI document.
 */
import { followChanges } from './changes.ts'
import { followNotifications } from './notifications.ts'
import { readPages } from './pages.ts'
import { type Options, Requests } from './requests.ts'
import type { Client, ClientOptions, Method } from './types.d.ts'

export { PhaseboardError } from './errors.ts'

/** Creates a client. @throws TypeError for an invalid base URL, token or header */
export function createClient(options: ClientOptions = {}): Client {
  const requests = new Requests(options)
  const bodyOf = (method: Method) => async (path: string, options?: Options) =>
    (await requests.send(method, path, options)).data
  // The compiler cannot follow the document's types of paths, parameters and bodies here.
  return {
    get: bodyOf('get'),
    post: bodyOf('post'),
    put: bodyOf('put'),
    patch: bodyOf('patch'),
    delete: bodyOf('delete'),
    request: (method: Method, path: string, options?: Options) => requests.send(method, path, options),
    pages: (path: string, options?: Options) => readPages(requests, path, options),
    changes: (options) => followChanges(requests, options),
    notifications: (options) => followNotifications(requests, options),
  } as Client
}
