/**
 * Checks that a service, or another tool on its file, could have stored a record of an archive, and that a service can handle
 * it. Merely unusual values pass, since readers tolerate them. Values that decide what a record is, what it belongs to, and
 * access rights must be valid.
 */

import { isReadableJson, readObjectText } from '../../db/json-text.ts'
import { fieldNamesOf, idOf, KINDS } from '../../db/kinds.ts'
import { LAST_SEQ, LEAP } from '../../db/lost-changes.ts'
import { MEMBERS_FILE, reader } from './archive-facts.ts'
import { PLAIN_LIMIT, type StoredValue } from './archive-lines.ts'
import type { FileToRead } from './archive-manifest.ts'
import { CHANGES_FILE, type RuledField } from './archive-tables.ts'

/** Largest value, in bytes: many times the limit of a request. */
const VALUE_LIMIT = 2 * 1024 * 1024

/** Longest key of a record, in characters. */
const NAME_LIMIT = 1000

/** A description of a violation, or undefined. */
type Problem = string | undefined

type RecordCheck = (values: readonly StoredValue[]) => Problem

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Whether a value is larger than a limit. */
function isLonger(value: StoredValue, limit: number): boolean {
  if (typeof value === 'string')
    return value.length > limit || (3 * value.length > limit && Buffer.byteLength(value) > limit)
  if (value === null || typeof value !== 'object') return false
  return ('text' in value ? value.text : value).length > limit
}

/** A text as read, with invalid UTF-8 replaced; undefined for other values. */
function textOf(value: StoredValue): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'object' && value !== null && 'text' in value ? value.text.toString() : undefined
}

function nameProblem(value: StoredValue): Problem {
  if (typeof value !== 'string') return 'must be text'
  if (value === '') return 'must not be empty'
  return value.length > NAME_LIMIT ? `must not have more than ${NAME_LIMIT} characters` : undefined
}

function jsonProblem(value: StoredValue): Problem {
  const text = textOf(value)
  return text === '' || (text !== undefined && isReadableJson(text)) ? undefined : 'must be JSON'
}

/** The violation of a field's value. */
function fieldProblem({ type, holds, isRequired, isName, values }: RuledField, value: StoredValue): Problem {
  if (value === null) return isRequired ? 'must not be null' : undefined
  if (isLonger(value, VALUE_LIMIT)) return `must not have more than ${VALUE_LIMIT} bytes`
  if (values && !values.includes(String(value))) return `must be one of ${values.join(', ')}`
  if (isName) return nameProblem(value)
  if (type === 'json') return jsonProblem(value)
  const isNumber = typeof value === 'bigint' || typeof value === 'number'
  return holds === 'text' && isNumber ? 'must be text' : undefined
}

/** The tracked fields of each kind. */
const trackedNames = new Map<string, ReadonlySet<string>>([
  ...KINDS.map((kind) => [kind.kind, new Set(fieldNamesOf(kind))] as const),
  [LEAP, new Set(['last', 'lastAt'])],
])

/** Whether a change may contain a value: of a column, bytes as `{"blob"}`, or the ids of a team's members. */
function isRecordable(name: string, value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'number') return true
  if (name === 'memberIds') return Array.isArray(value) && value.every((id) => typeof id === 'string')
  const { blob, ...others } = Object(value)
  const isBytes = typeof blob === 'string' && /^(?:[0-9A-F]{2})*$/.test(blob)
  return isBytes && Object.keys(others).length === 0
}

/** The violation of a change's `before` or `after`. @param id the record's, if it is a whole record */
function contentProblem(kind: string, value: StoredValue, id: string | undefined): Problem {
  // A whole record has several fields.
  if (isLonger(value, PLAIN_LIMIT)) return `must not have more than ${PLAIN_LIMIT} bytes`
  const fields = readObjectText(textOf(value) ?? '')
  if (fields === undefined) return 'must be a JSON object'
  for (const [name, recorded] of Object.entries(fields)) {
    if (!trackedNames.get(kind)?.has(name)) return `has a field that a ${kind} has not: ${name.slice(0, 100)}`
    if (!isRecordable(name, recorded)) return `has a value that ${name} cannot have`
  }
  const isOther = id !== undefined && kind !== LEAP && idOf(kind, fields) !== id
  return isOther ? 'must be of the record that the change is of' : undefined
}

/** The forms of changes: whether they have `before` and `after`. */
const FORMS: Record<string, { before: boolean; after: boolean }> = {
  created: { before: false, after: true },
  updated: { before: true, after: true },
  deleted: { before: true, after: false },
}

const isPlace = (value: StoredValue, last: bigint): boolean =>
  typeof value === 'bigint' && value > 0n && value <= last

/** Changes, which only the service writes: they must have exactly the form of its triggers. */
function changeCheck(of: FileToRead): RecordCheck {
  const read = reader(of, 'seq', 'at', 'group', 'kind', 'id', 'action', 'before', 'after')
  const named = ['actorId', 'ownerId', 'projectId', 'itemId', 'fromProjectId']
  const readNamed = reader(of, ...named)
  return (values) => {
    const [seq = null, at, group = null, kind, id = null, action, before = null, after = null] = read(values)
    if (!isPlace(seq, BigInt(LAST_SEQ))) return `seq must be an integer from 1 to ${LAST_SEQ}`
    if (typeof at !== 'string' || !TIME.test(at)) return 'at must be a time'
    if (group !== null && !isPlace(group, seq as bigint)) return 'group must be null, or a seq up to its own'
    if (typeof kind !== 'string' || !trackedNames.has(kind)) return 'kind must be one that changes have'
    const wrongName = nameProblem(id)
    if (wrongName) return `id ${wrongName}`
    for (const [index, value] of readNamed(values).entries()) {
      // An idea without an owner is visible to no member, and harmless.
      const isNobody = value === null || (value === '' && named[index] === 'ownerId')
      const problem = isNobody ? undefined : nameProblem(value)
      if (problem) return `${named[index]} ${problem}`
    }
    const form = FORMS[String(action)]
    if (!form || (kind === LEAP && action !== 'created')) return 'action must be one that its kind has'
    const isWhole = action !== 'updated'
    for (const [name, value, isToBe] of [
      ['before', before, form.before],
      ['after', after, form.after],
    ] as const) {
      if (!isToBe && value !== null) return `${name} must be null where it is ${action}`
      const problem = isToBe ? contentProblem(kind, value, isWhole ? String(id) : undefined) : undefined
      if (problem) return `${name} ${problem}`
    }
    return undefined
  }
}

/** Values that decide sign-in and rights must be canonical. */
function memberCheck(of: FileToRead): RecordCheck {
  const read = reader(of, 'email', 'disabled')
  return (values) => {
    const [email = null, disabled] = read(values)
    const problem = nameProblem(email)
    if (problem) return `email ${problem}`
    return disabled === 0n || disabled === 1n ? undefined : 'disabled must be true or false'
  }
}

export function recordCheck(of: FileToRead): RecordCheck {
  const { fields, file } = of
  if (file.name === CHANGES_FILE) return changeCheck(of)
  const check = file.name === MEMBERS_FILE ? memberCheck(of) : () => undefined
  return (values) => {
    for (const [index, field] of fields.entries()) {
      const problem = fieldProblem(field, values[index] ?? null)
      if (problem) return `${field.name} ${problem}`
    }
    return check(values)
  }
}
