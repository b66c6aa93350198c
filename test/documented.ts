/** The operations of the OpenAPI document. */
import type { App } from './helper.ts'

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
  const { paths } = (await app.openapi()) as unknown as {
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
