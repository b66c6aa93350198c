/** Preconditions of a write, against a record that a rule reads. */
import { Type } from '@sinclair/typebox'
import t from 'tap'
import { ApiError } from '../../src/errors.ts'
import { comparePreconditions, type Preconditions, resultOf } from '../../src/requests/preconditions.ts'
import { etagOfRecord, type ResponseShape } from '../../src/requests/respond.ts'
import type { Rules } from '../../src/requests/rules.ts'

const CARD = { id: 'c', title: 'Card', list: [1] }
const schema = Type.Object({ id: Type.String(), title: Type.String(), list: Type.Array(Type.Number()) })
const shape: ResponseShape = { name: 'PreconditionCard', status: 200, schema, kind: 'record' }
const ETAG = etagOfRecord(shape, CARD)

/** What an error has, at least. */
const status = (statusCode: number, fields: object = {}) => ({ message: /./, statusCode, ...fields })

/** Rules with one card, which count how often it is read. */
function cards() {
  let reads = 0
  class Cards {
    static readonly reads = ['get']
    get(id: string) {
      reads++
      if (id === 'gone') throw new ApiError(404, 'Card not found')
      if (id === 'secret') throw new ApiError(403, 'Forbidden')
      if (id === 'broken') throw Object.assign(new Error('broken'), { statusCode: 404 })
      return CARD
    }
  }
  return { rules: { cards: new Cards() } as unknown as Rules, reads: () => reads }
}

const record = (id = 'c') => ({ get: { path: 'cards.get', args: [id] }, shape })

/** What the check of a record throws; undefined for nothing. */
function refusal(preconditions: Preconditions): unknown {
  try {
    comparePreconditions(cards().rules, { record: record(), ...preconditions })
  } catch (error) {
    return error
  }
  return undefined
}

t.test('tags are compared with that of the record', async (t) => {
  const failed = { statusCode: 412, headers: { etag: ETAG } }
  for (const fine of [
    {},
    { ifMatch: ETAG },
    { ifMatch: '*' },
    { ifMatch: ETAG, ifNoneMatch: '"x"' },
    { ifNoneMatch: '"x"' },
    { ifMatch: ETAG, unchanged: { id: 'c' } },
  ])
    t.equal(refusal(fine), undefined, JSON.stringify(fine))
  for (const wrong of [
    { ifMatch: '"x"' },
    { ifMatch: '"x"', ifNoneMatch: '"y"' },
    { ifMatch: '"x"', unchanged: { id: 'd' } },
    { ifNoneMatch: ETAG },
    { ifNoneMatch: '*' },
    { ifMatch: ETAG, ifNoneMatch: ETAG },
  ])
    t.match(refusal(wrong), failed, JSON.stringify(wrong))
})

t.test('read-only fields may be sent as they are', async (t) => {
  t.equal(refusal({ unchanged: CARD }), undefined)
  t.equal(refusal({ unchanged: {} }), undefined)
  const fieldErrors = { title: ['is read-only'], list: ['is read-only'] }
  const sent = { id: 'c', title: 'Other', list: [2] }
  t.match(refusal({ unchanged: sent }), status(400, { details: { formErrors: [], fieldErrors } }))
  t.match(refusal({ unchanged: { id: 'd' } }), { details: { fieldErrors: { id: ['is read-only'] } } })
})

t.test('a record is read only if something depends on it', async (t) => {
  const { rules, reads } = cards()
  comparePreconditions(rules, { record: record() })
  comparePreconditions(rules, { ifMatch: '"x"' })
  t.equal(reads(), 0)
  comparePreconditions(rules, { record: record(), ifNoneMatch: '"x"' })
  t.equal(reads(), 1)
  const kept = { id: 'kept' }
  t.equal(resultOf(rules, shape, record(), kept), kept)
  t.equal(resultOf(rules, { ...shape, kind: 'success' }, record(), undefined), undefined)
  t.equal(resultOf(rules, shape, undefined, undefined), undefined)
  t.equal(reads(), 1)
  t.equal(resultOf(rules, shape, record(), undefined), CARD, 'what a rule leaves to read')
})

t.test('the rule itself says that there is no record; other errors end the write', async (t) => {
  const check = (id: string) => comparePreconditions(cards().rules, { record: record(id), ifMatch: '"x"' })
  t.doesNotThrow(() => check('gone'))
  t.throws(() => check('secret'), status(403))
  t.throws(() => check('broken'), { message: 'broken' })
})
