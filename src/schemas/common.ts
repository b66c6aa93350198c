/** Shared pieces of the HTTP schemas: limits, field types, errors. */
import { type SchemaOptions, type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { ERROR_CODES, type ErrorCode } from '../error-codes.ts'
import type { JsonObject } from '../json.ts'

/** An `Idempotency-Key`: 1 to 255 characters of visible ASCII. */
export const KEY_PATTERN = '^[\\x21-\\x7e]{1,255}$'

/** A schema that describes the same value or null. */
export const Nullable = <T extends TSchema>(schema: T) =>
  Type.Unsafe<Static<T> | null>({ ...schema, type: [schema.type, 'null'] })

/** A reference to a named schema, so that OpenAPI gets a component instead of a copy. */
export const ref = <T extends TSchema>(schema: T) =>
  Type.Unsafe<Static<T>>({ $ref: `${String(schema.$id)}#` })

// --- fields of responses ---

export const Id = Type.String({ description: 'UUIDv7, made by the server' })
export const Timestamp = Type.String({
  format: 'date-time',
  description: 'ISO 8601 in UTC with milliseconds',
  examples: ['2026-01-31T00:00:00.000Z'],
})
/** A JSON object with any keys. */
export const AnyObject = Type.Unsafe<JsonObject>({ type: 'object', additionalProperties: true })
/** A JSON array with any elements. */
export const AnyArray = Type.Unsafe<unknown[]>({ type: 'array', items: {} })
/**
 * A JSON array in responses. Its elements are serialised as stored, by whichever tool.
 * @param element the documented schema of an element
 */
export const JsonArray = (element: TSchema, options: SchemaOptions = {}) =>
  Type.Unsafe<unknown[]>({ ...AnyArray, 'x-items': element, ...options })

// --- fields of requests ---

/** Characters of a password. */
export const PASSWORD_LENGTH = { minLength: 8, maxLength: 200 }

/** An email: something@something, of visible characters. */
export const EMAIL_PATTERN = /^[^\s@\p{Cc}\p{Cf}\p{Cs}]+@[^\s@\p{Cc}\p{Cf}\p{Cs}]+$/u

/** Longest texts, in characters. */
export const LIMITS = {
  name: 200,
  email: 254,
  title: 500,
  term: 100,
  label: 50,
  file: 500,
  comment: 10_000,
  description: 100_000,
  reference: 200,
}

export const Name = Type.String({ minLength: 1, maxLength: LIMITS.name })
export const Email = Type.String({
  format: 'email',
  maxLength: LIMITS.email,
  description: 'Unique, whatever its case',
  examples: ['ada@example.org'],
})
export const Password = Type.String({ ...PASSWORD_LENGTH, examples: ['correct horse battery staple'] })
export const Title = Type.String({ minLength: 1, maxLength: LIMITS.title })
export const Description = Type.String({ maxLength: LIMITS.description })
/** The listed values of priorities, from low to high. */
export const PRIORITIES = ['low', 'medium', 'high', 'critical']

/**
 * The values of an open vocabulary that are listed, as an annotation: only a strict request is held to them (see
 * `src/requests/strictness.ts`).
 */
const Listed = (values: readonly string[]) => ({ 'x-extensible-enum': values })

/** A value of an open vocabulary (status, priority, ...). */
export const Term = (listed: readonly string[]) =>
  Type.String({
    minLength: 1,
    maxLength: LIMITS.term,
    description: `Open vocabulary, e.g. ${listed.join(', ')}`,
    ...Listed(listed),
  })
/** The name of a column of a project; the rules hold a strict request to those that there are. */
export const ColumnName = Type.String({
  minLength: 1,
  maxLength: LIMITS.term,
  description: 'Name of a column of the project, e.g. To Do, In Progress, Review, Done',
})
/** An opaque reference to a person or team, perhaps in another system. */
export const Reference = Type.String({ maxLength: LIMITS.reference })
export const SortOrder = Type.Number({ description: 'Lists are ordered by it, ascending, then by id' })

/** A date in a request. */
export const DateText = Type.String({
  format: 'timestamp',
  description: 'ISO 8601 date-time, UTC without an offset, or a plain date (midnight UTC)',
})

/**
 * A date in a request: a date string, or any falsy value to clear it (interface specification, section 2).
 */
export const OptionalDate = Type.Unsafe<string | null | false | 0>({
  anyOf: [DateText, { enum: [null, '', false, 0], description: 'No date' }],
  examples: ['2026-01-31', '2026-01-31T18:00:00+01:00', null],
})

/** Bytes of UTF-8 that one JSON-text field may take, serialised. */
export const JSON_TEXT_LIMIT = 65_536
/** Levels of nesting that one JSON-text field may have; serialisers recurse. */
export const JSON_TEXT_DEPTH = 100

/**
 * A JSON-text field in a request: the plain value, or JSON text of it. The validator parses the text in place (see
 * `src/requests/json-text-keyword.ts`), so handlers always get the plain value; the empty string means empty.
 */
export const JsonText = <T extends TSchema>(schema: T) =>
  Type.Unsafe<Static<T>>({
    ...schema,
    type: [schema.type, 'string'],
    contentMediaType: 'application/json',
    description: `Plain ${schema.type} or JSON text of one; at most 64 KiB serialised, ${JSON_TEXT_DEPTH} levels deep`,
  })

// --- bodies ---

/** Entries of an array in a body; JSON-text fields have their size instead. */
export const ENTRIES_LIMIT = 1000

/** A body that creates something. Keys that are not listed are dropped before anything is stored. */
export const CreateBody = <T extends TProperties>(fields: T) =>
  Type.Object(fields, { additionalProperties: false, minProperties: 1 })

/** A body of a PATCH: every field is optional, and keys that are not listed are dropped. */
export const UpdateBody = <T extends TProperties>(fields: T) =>
  Type.Partial(Type.Object(fields), { additionalProperties: false })

/** An array whose elements are unique by a field. */
export const UniqueBy = <T extends TSchema>(name: string, element: T) =>
  Type.Array(element, {
    maxItems: ENTRIES_LIMIT,
    'x-unique-by': name,
    description: `Each ${name} at most once; at most ${ENTRIES_LIMIT}`,
  })

/** A body that reorders records. */
export const ReorderBody = CreateBody({
  items: UniqueBy(
    'id',
    Type.Object({ id: Type.String(), sortOrder: SortOrder }, { additionalProperties: false }),
  ),
})

/** People that one request may ask for by id. */
export const PERSON_LIMIT = 500

// --- parameters ---

/** The one path parameter: any string; an unknown one is 404. */
export const IdParams = Type.Object({ id: Type.String() })

/**
 * A filter that may be given several times: records with any of the values match.
 * @param listed the listed values of an open vocabulary
 */
export const AnyOf = (description: string, listed?: readonly string[]) =>
  Type.Optional(
    Type.Unsafe<string | string[]>({
      type: ['string', 'array'],
      items: { type: 'string' },
      description: `${description}; given several times: any of them; empty does not filter`,
      ...(listed && Listed(listed)),
    }),
  )

/** The same where the values are a closed set: they may also come with commas between them. */
export const AnyOfThese = (description: string, values: readonly string[]) => {
  const listed = values.map((value) => `\`${value}\``).join(', ')
  const filter = AnyOf(`${description}: ${listed}, also with commas between them`)
  return Type.Optional(Type.Unsafe<string | string[]>({ ...filter, 'x-any-of': values }))
}

/** A filter by a part of a text. */
export const FilterByText = (description: string) =>
  Type.Optional(Type.String({ description: `${description}, whatever the case; empty does not filter` }))

/** A filter by date. */
export const FilterByDate = (description: string) =>
  Type.Optional(
    Type.String({
      format: 'timestamp',
      description: `${description}: an ISO 8601 date-time, UTC without an offset, or a plain date (midnight UTC)`,
      examples: ['2026-01-31', '2026-01-31T18:00:00Z'],
    }),
  )

/** The values of such a filter, each once. None: it does not filter. */
export const valuesOfAny = (value: string | readonly string[] | undefined): string[] => [
  ...new Set([value ?? []].flat().filter((one) => one !== '')),
]

/** The values of a filter by a closed set: given several times, or with commas between them. */
export const valuesOfList = (value: string | readonly string[] | undefined): string[] =>
  valuesOfAny(valuesOfAny(value).flatMap((list) => list.split(',').map((one) => one.trim())))

// --- responses ---

/** The response of a deletion. */
export const Success = Type.Object({ success: Type.Literal(true) }, { $id: 'Success' })

/** The response to a conditional request whose ETag still matches: no body. */
export const NotModified = Type.Null({ description: 'Not modified: the ETag of `If-None-Match` still holds' })

/** The response where there is nothing to respond with: no body. */
export const NoContent = Type.Null({ description: 'There is none' })

/** The body of every error. */
export const ErrorBody = Type.Object(
  { error: Type.String({ description: 'What went wrong, in one line' }) },
  { $id: 'ErrorResponse' },
)

/** The body of every error as problem details (RFC 9457). */
export const ProblemBody = Type.Object(
  {
    type: Type.String({ description: 'A URI. Identifies the code: a section of the documentation' }),
    title: Type.String({ description: 'What went wrong, in one line: the `error` of other answers' }),
    status: Type.Integer({ description: 'The status of the answer' }),
    code: Type.Unsafe<ErrorCode>({
      type: 'string',
      enum: Object.keys(ERROR_CODES),
      description: `What went wrong, for programs: ${Object.entries(ERROR_CODES)
        .map(([code, says]) => `\n- \`${code}\`: ${says}`)
        .join('')}`,
    }),
    details: Type.Optional(
      Type.Object({}, { description: 'As in other answers', additionalProperties: true }),
    ),
  },
  { $id: 'Problem' },
)

/** The body of an error of the Model Context Protocol. */
export const JsonRpcErrorBody = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    error: Type.Object({ code: Type.Integer(), message: Type.String() }, { additionalProperties: true }),
    id: Type.Unsafe<string | number | null>({
      type: ['string', 'number', 'null'],
      description: 'Of the message; null where it is not known',
    }),
  },
  { $id: 'JsonRpcError', description: 'JSON-RPC 2.0' },
)

/** The body of an error of a batch. */
export const BatchErrorBody = Type.Object(
  {
    error: Type.String({ description: 'What went wrong, in one line' }),
    details: Type.Optional(
      Type.Object(
        {
          request: Type.Optional(Type.Integer({ minimum: 0, description: 'Which request failed, from 0' })),
        },
        { description: 'With what the failed request is answered beside it', additionalProperties: true },
      ),
    ),
  },
  { $id: 'BatchError' },
)

/** The body of a 404 that may be about records which the body names. */
export const MissingErrorBody = Type.Object(
  {
    error: Type.String({ examples: ['Kanban item not found'] }),
    details: Type.Optional(
      Type.Object(
        { missing: Type.Array(Type.String(), { description: 'The ids that name nothing' }) },
        { description: 'Where the request body names what is not there; absent where its path does' },
      ),
    ),
  },
  { $id: 'MissingError' },
)

/** The body of a 410: changes that are not kept any more. */
export const GoneErrorBody = Type.Object(
  {
    error: Type.String({ examples: ['Changes are gone'] }),
    details: Type.Object({ oldest: Type.Integer({ description: 'The oldest change that is kept' }) }),
  },
  { $id: 'GoneError' },
)

/** The body of a 409 for an undo that something stands in the way of. */
export const ChangedSinceBody = Type.Object(
  {
    error: Type.String({ examples: ['Changed since'] }),
    details: Type.Optional(
      Type.Object(
        {
          conflicts: Type.Array(
            Type.Object({
              kind: Type.String({ examples: ['kanban-item'] }),
              id: Type.String(),
              field: Type.Optional(Type.String({ description: 'Absent where it is the record itself' })),
            }),
            { description: 'What stands in the way; the first 100' },
          ),
        },
        { description: 'Absent where it was done before (`Already done`)' },
      ),
    ),
  },
  { $id: 'ChangedSince' },
)

/** The body of a failed validation. */
export const ValidationErrorBody = Type.Object(
  {
    error: Type.String({ examples: ['Validation failed'] }),
    details: Type.Object({
      formErrors: Type.Array(Type.String(), { description: 'What is wrong with the body as a whole' }),
      fieldErrors: Type.Record(Type.String(), Type.Array(Type.String()), {
        description: 'What is wrong, by top-level field',
      }),
    }),
  },
  { $id: 'ValidationError' },
)
