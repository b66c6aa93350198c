/** A change as JSON: the same in the feed, the stream and webhooks. */
import { ref } from '../schemas/common.ts'
import { ChangeSchema } from '../schemas/records.ts'
import { createSerializer } from '../schemas/serialization.ts'
import { toChange } from './api-changes.ts'
import type { ChangeRow } from './sequence.ts'

const serialize = createSerializer(ref(ChangeSchema))

/** A change as JSON. @param group see `Sequence.groupOf` */
export const changeText = (row: ChangeRow, group: number): string => serialize(toChange(row, group))
