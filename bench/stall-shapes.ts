import type { Row } from './stall-rows.ts'
export const SHAPES: Record<string, Row> = {}
