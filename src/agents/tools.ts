/** All tools, created from the schemas of the routes. */
import type { RouteSchemas } from './schemas.ts'
import type { Tool } from './tool.ts'
import { bulkTools } from './tools/bulk.ts'
import { claimTools } from './tools/claims.ts'
import { fileTools } from './tools/files.ts'
import { flowTools } from './tools/flow.ts'
import { readingTools } from './tools/reading.ts'
import { writingTools } from './tools/writing.ts'

/** Creates the tools, in their listed order. @throws Error if a route lacks a field of a tool */
export const createTools = (routes: RouteSchemas): Tool[] =>
  [...readingTools, ...flowTools, ...writingTools, ...fileTools, ...claimTools, ...bulkTools].map((make) =>
    make(routes),
  )
