/** The operations of the OpenAPI document. */
import type { App } from './helper.ts'

/** A document whose operations have the shared parameters and responses themselves, instead of references to them. */
export function withoutReferences<T extends object>(document: T): T {
  const { paths, components } = document as Record<string, Record<string, Record<string, object>>>
  const resolve = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(resolve)
    if (typeof part !== 'object' || part === null) return part
    const { $ref, ...own } = part as { $ref?: unknown }
    const [, kind = '', name = ''] = /^#\/components\/(parameters|responses)\/(\w+)$/.exec(String($ref)) ?? []
    if (kind !== '') return { ...components?.[kind]?.[name], ...own }
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, resolve(value)]))
  }
  return { ...document, paths: resolve(paths) }
}

/** An operation, with its method in capitals. */
export interface DocumentedOperation {
  method: string
  path: string
  operationId: string
  parameters?: {
    name: string
    in: string
    required?: boolean
    example?: unknown
    examples?: unknown
    schema: Record<string, unknown>
  }[]
  requestBody?: { required?: boolean; content: Record<string, { example?: unknown; examples?: unknown }> }
  responses: Record<string, { content?: object; headers?: object }>
}

export async function documentedOperations(app: App): Promise<DocumentedOperation[]> {
  const { paths } = withoutReferences(await app.openapi()) as unknown as {
    paths: Record<string, Record<string, DocumentedOperation>>
  }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  )
}
