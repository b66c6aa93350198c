/** The paths of all endpoints with their methods, to distinguish 405 from 404. */
import findMyWay, { type Config } from 'find-my-way'
import { once } from '../once.ts'

/** A known path with its methods. */
export interface KnownPath {
  path: string
  methods: readonly string[]
}

/** The methods that are 405 without an endpoint. Others are unknown. */
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

const isMethod = (method: string) => METHODS.includes(method as (typeof METHODS)[number])

/** The paths that a route matches. */
const toPattern = (path: string) =>
  new RegExp(
    `^${path.replaceAll(/:\w+(?:\(([^)]*)\))?/g, (_, expression?: string) => expression ?? '[^/]+')}$`,
  )

export class KnownPaths {
  readonly #methods = new Map<string, Set<string>>()
  /** Built lazily: few requests need it. */
  readonly #router: () => findMyWay.Instance<findMyWay.HTTPVersion.V1>

  /** @param options of the server's router */
  constructor(options: Config<findMyWay.HTTPVersion.V1>) {
    this.#router = once(() => {
      const router = findMyWay(options)
      for (const known of this.all()) router.on('GET', known.path, () => undefined, known)
      return router
    })
  }

  /** Adds an endpoint. */
  add(path: string, methods: readonly string[]): void {
    const known = this.#methods.get(path) ?? new Set()
    for (const method of methods) known.add(method)
    this.#methods.set(path, known)
  }

  /** Each with all its methods, including those of paths with parameters that match it, too. */
  all(): KnownPath[] {
    const patterns = [...this.#methods].map(([path, known]) => ({
      pattern: toPattern(path),
      known: [...known],
    }))
    return [...this.#methods.keys()].map((path) => {
      const matching = patterns.filter(({ pattern }) => pattern.test(path))
      return { path, methods: [...new Set(matching.flatMap(({ known }) => known))] }
    })
  }

  /** The path of a request without an endpoint, if it has endpoints for other methods. */
  refusing(method: string, url: string): KnownPath | undefined {
    // A HEAD is the GET of a path.
    if (!isMethod(method === 'HEAD' ? 'GET' : method)) return undefined
    const found = this.#router().find('GET', url)
    if (found === null) return undefined
    const known: KnownPath = found.store
    return known.methods.includes(method === 'HEAD' ? 'GET' : method) ? undefined : known
  }
}
