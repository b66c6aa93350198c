/** A change as JSON: the same in the feed, the stream and webhooks. */
import { ref } from '../schemas/common.ts'
import { ChangeSchema } from '../schemas/records.ts'
import { createSerializer } from '../schemas/serialization.ts'
import type { ChangeRow } from './sequence.ts'
import { toChange } from './told.ts'

const serialize = createSerializer(ref(ChangeSchema))

/** A change as JSON. @param group see `Sequence.groupOf` */
export const changeText = (row: ChangeRow, group: number): string => serialize(toChange(row, group))
